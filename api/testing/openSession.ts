import type { EntityManager } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import { HOUR } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { type SessionRealm, WebSession } from '#api/platform/tables/WebSession.ts'
import { hashSessionId } from '#api/platform/http/namedSession.ts'

interface SessionOptions {
  realm: SessionRealm
  /** Anonymous by default. */
  accountId?: string | undefined
  accountEpoch?: number
  /** The key of the session in its related rows. */
  key?: string
}

/** Inserts a session into the database. Returns its cookie. */
export async function openSession(
  em: EntityManager,
  { realm, accountId, accountEpoch = 0, key = newId() }: SessionOptions,
): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  const account = accountId === undefined ? {} : { accountId, accountEpoch }
  const times = { createdAt: new Date(), lastSeenAt: new Date(), expiresAt: new Date(Date.now() + HOUR) }
  em.create(WebSession, { idHash: hashSessionId(id), realm, key, ...account, data: { key, ...account }, ...times })
  await em.flush()
  return `${realm}_session=${id}`
}
