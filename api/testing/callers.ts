import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { HalfLogin } from '#api/entities/HalfLogin.ts'
import { makeAdministrator } from './administrators.ts'
import { makeUser } from './factories.ts'
import { openSession } from './openSession.ts'
import type { TestServer } from './server.ts'

/** All kinds of callers. */
export const callers = [
  'visitor',
  'user',
  'other user',
  'admin',
  'admin from a forbidden address',
  'half-logged-in admin',
] as const
export type Caller = (typeof callers)[number]

/** The only address that administrators may call from. */
export const ADMIN_ADDRESS = '127.0.0.1'

export interface Callers {
  /** Returns the caller's headers. Each call creates a new session, because the request may end it. */
  (caller: Caller): Promise<Record<string, string>>
  ids: { user: string; otherUser: string; administrator: string }
}

interface CallerOptions {
  /** An existing user instead of a new one. */
  userId?: string
}

/** Creates one account for each kind of caller, on a server behind one trusted proxy. */
export async function openCallers(server: TestServer, { userId }: CallerOptions = {}): Promise<Callers> {
  const em = () => server.services.orm.em.fork()
  const ids = {
    user: userId ?? (await makeUser(em())).user.id,
    otherUser: (await makeUser(em())).user.id,
    administrator: (await makeAdministrator(server)).id,
  }
  const half = await makeAdministrator(server, { otp: true, role: 'viewer' })
  await sql(em(), 'update installation set admin_allowed_ips = $1', [[ADMIN_ADDRESS]])

  const epochOf = async (table: 'users' | 'administrators', id: string): Promise<number> => {
    const [row] = await sql<{ session_epoch: number }>(em(), `select session_epoch from ${table} where id = $1`, [id])
    return row!.session_epoch
  }
  const asUser = async (id: string) =>
    openSession(em(), { realm: 'user', accountId: id, accountEpoch: await epochOf('users', id) })
  const asAdministrator = async (id: string) =>
    openSession(em(), { realm: 'admin', accountId: id, accountEpoch: await epochOf('administrators', id) })

  const here = { 'x-forwarded-for': ADMIN_ADDRESS }
  const headersOf: Record<Caller, () => Promise<Record<string, string>>> = {
    visitor: async () => here,
    user: async () => ({ ...here, cookie: await asUser(ids.user) }),
    'other user': async () => ({ ...here, cookie: await asUser(ids.otherUser) }),
    admin: async () => ({ ...here, cookie: await asAdministrator(ids.administrator) }),
    'admin from a forbidden address': async () => ({
      'x-forwarded-for': '203.0.113.9',
      cookie: await asAdministrator(ids.administrator),
    }),
    'half-logged-in admin': async () => {
      const sessionKey = newId()
      const fork = em()
      const expiresAt = new Date(server.clock.now().getTime() + 5 * MINUTE)
      fork.create(HalfLogin, { administrator: half.id, epoch: await epochOf('administrators', half.id), sessionKey, expiresAt })
      await fork.flush()
      return { ...here, cookie: await openSession(em(), { realm: 'admin', key: sessionKey }) }
    },
  }
  return Object.assign((caller: Caller) => headersOf[caller](), { ids })
}
