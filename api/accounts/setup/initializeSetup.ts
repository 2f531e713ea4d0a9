import type { EntityManager } from '@mikro-orm/postgresql'
import { setupStatus } from '#shared/contract/setup.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { Administrator } from '#api/entities/Administrator.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { setupDone } from './checkSetup.ts'

/** Gives the settings their first values. */
export type StoreDefaults = (em: EntityManager, now: Date) => Promise<void>

export interface SetupInput {
  username: string
  passwordHash: string
  /** Normalised. */
  allowedIps: string[]
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Makes the first administrator. Of any number of calls at once, one wins. */
export async function initializeSetup(
  em: EntityManager,
  { username, passwordHash, allowedIps, clientAddress, now }: SetupInput,
  storeDefaults: StoreDefaults,
): Promise<void> {
  const won = await sql(
    em,
    `update installation set set_up_at = $1, setup_token_hash = null, admin_allowed_ips = $2, admin_initial_ips = $2
     where id = 1 and set_up_at is null returning id`,
    [now, allowedIps],
  )
  if (won.length === 0) throw setupDone()
  em.create(Administrator, { id: newId(), username, passwordHash, createdAt: now })
  await storeDefaults(em, now)
  recordAudit(em, {
    actor: `admin:${username}`,
    action: 'setup.initialize',
    target: username,
    ipAddress: clientAddress,
    after: { allowedIps },
  })
  await recordChange(em, { keys: [setupStatus.path] })
}
