import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { CreateSessionOptions } from 'koa-session'
import type { Context } from 'koa'
import type { AdminRole } from '#shared/adminRoles.ts'
import type { Language } from '#shared/languages.ts'
import { type Batcher, createBatcher } from '../db/createBatcher.ts'
// SQL as text: runs with every request, and the entities of users and administrators come after the platform.
import { sql } from '../db/sql.ts'
import type { SessionRealm } from '../tables/WebSession.ts'
import { newId } from '../db/newId.ts'
import { hashSessionId, markReplaced, takeNewSessionId, unmarkReplaced } from './namedSession.ts'

/** The logged-in account as read with the session, without loading the entity. */
export interface Actor {
  id: string
  /** A user's email or an administrator's username. */
  name: string
  /** What an administrator may do; undefined for a user. */
  role?: AdminRole
  /** The language of mails to a user. Mails to administrators are in English. */
  language: Language
}

export interface SessionState {
  actors?: Partial<Record<SessionRealm, Actor>>
  clientAddress: string
  /** Set while this request replaces its session's id, with the hash of the old one once it is known. */
  renewal?: { idHash?: string }
}

interface StoredSession {
  id_hash: string
  key: string
  data: Record<string, unknown>
  account_id: string | null
  name: string | null
  role: AdminRole | null
  language: Language
  /** Whether `last_seen_at` is due for an update. */
  is_stale: boolean
}

/** The precision of `last_seen_at`, in minutes, to avoid a write per request. */
const SEEN_MINUTES = 5

const accountsOf = {
  user: { table: 'users', name: 'a.email', role: 'null', language: `coalesce(a.language, 'en')` },
  admin: { table: 'administrators', name: 'a.username', role: 'a.role', language: `'en'` },
} satisfies Record<SessionRealm, object>

/**
 * Excludes sessions whose account is gone or has a newer epoch, for example after a password change. A statement for each realm, because
 * planning the join of both kinds of accounts took longer than running it.
 */
const readSessions = (realm: SessionRealm) => `
  select s.id_hash, s.key, s.data, s.account_id, ${accountsOf[realm].name} as name, ${accountsOf[realm].role} as role,
    ${accountsOf[realm].language} as language,
    s.account_id is not null and s.last_seen_at < now() - interval '${SEEN_MINUTES} minutes' as is_stale
  from web_sessions s left join ${accountsOf[realm].table} a on a.id = s.account_id
  where s.id_hash = any($1) and s.realm = '${realm}' and s.expires_at > now()
    and (s.account_id is null or a.session_epoch = s.account_epoch)`

/** The keys of those sessions that are still logged in. */
export async function findLiveSessions(em: EntityManager, keys: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ key: string }>(
    em,
    `select s.key from web_sessions s
     left join users u on s.realm = 'user' and u.id = s.account_id
     left join administrators a on s.realm = 'admin' and a.id = s.account_id
     where s.key = any($1::uuid[]) and s.expires_at > now() and s.account_epoch = coalesce(u.session_epoch, a.session_epoch)`,
    [keys],
  )
  return new Set(rows.map(({ key }) => key))
}

/** An account's session, which keeps its key while its id is renewed. */
interface HeldSession {
  realm: SessionRealm
  key: string | undefined
  accountId: string
}

/** The account's role now, null for a user. Undefined once the session has ended. */
export async function readLiveRole(
  em: EntityManager,
  { realm, key, accountId }: HeldSession,
): Promise<AdminRole | null | undefined> {
  const [row] = await sql<{ role: AdminRole | null }>(
    em,
    `select ${accountsOf[realm].role} as role from web_sessions s join ${accountsOf[realm].table} a on a.id = s.account_id
     where s.account_id = $1 and s.key = $2 and s.realm = '${realm}' and s.account_epoch = a.session_epoch`,
    [accountId, key ?? null],
  )
  return row?.role
}

/**
 * Returns a function that reads the session with a hashed id. Concurrent reads share one statement.
 *
 * @param delay milliseconds to wait for more of them.
 */
export function createReadSession(
  orm: MikroORM,
  realm: SessionRealm,
  { delay = 0 } = {},
): Batcher<string, StoredSession | undefined> {
  const statement = readSessions(realm)
  return createBatcher<string, StoredSession | undefined>({
    maxSize: 200,
    delay,
    async run(ids) {
      const rows = await sql<StoredSession>(orm.em.fork(), statement, [ids])
      const byId = new Map(rows.map((row) => [row.id_hash, row]))
      return ids.map((id) => byId.get(id))
    },
  })
}

/**
 * Returns a function that writes where a session was last seen, but not with every request. No request waits for it or fails with it: while
 * the database can be read and not written, visitors are still answered. It runs one statement at a time, so that it uses one connection.
 */
export function createMarkSeen(
  orm: MikroORM,
): (session: Pick<StoredSession, 'id_hash' | 'is_stale'>, clientAddress: string) => void {
  const write = createBatcher<{ idHash: string; clientAddress: string }, void>({
    maxSize: 200,
    async run(seen) {
      // Waiting for rows that another process has locked could deadlock. A later request writes what is skipped here.
      await sql(
        orm.em.fork(),
        `with seen as materialized (
           select s.id_hash, t.ip_address from web_sessions s join unnest($1::text[], $2::text[]) as t (id_hash, ip_address) using (id_hash)
           for update of s skip locked
         )
         update web_sessions s set last_seen_at = now(), ip_address = seen.ip_address from seen where s.id_hash = seen.id_hash`,
        [seen.map(({ idHash }) => idHash), seen.map(({ clientAddress }) => clientAddress)],
      )
      return seen.map(() => undefined)
    },
  })
  return ({ id_hash, is_stale }, clientAddress) => {
    if (is_stale) write({ idHash: id_hash, clientAddress }).catch(() => {})
  }
}

/** When a session ends, so many milliseconds from now: by the clock that asks whether it has, so that no server's makes it longer. */
const endAfter = (milliseconds: string): string => `now() + ${milliseconds}::float8 * interval '1 ms'`

/** Returns a function that extends a session, likewise: the next request repeats what has failed. */
function createExtendSession(orm: MikroORM): (session: { idHash: string; data: string; maxAge: number }) => void {
  const write = createBatcher<{ idHash: string; data: string; maxAge: number }, void>({
    maxSize: 200,
    async run(used) {
      await sql(
        orm.em.fork(),
        `with used as materialized (
           select s.id_hash, t.data, t.max_age from web_sessions s
           join unnest($1::text[], $2::jsonb[], $3::float8[]) as t (id_hash, data, max_age) using (id_hash)
           for update of s skip locked
         )
         update web_sessions s set data = used.data, expires_at = ${endAfter('used.max_age')}, last_seen_at = now()
         from used where s.id_hash = used.id_hash`,
        [used.map(({ idHash }) => idHash), used.map(({ data }) => data), used.map(({ maxAge }) => maxAge)],
      )
      return used.map(() => undefined)
    },
  })
  return (session) => void write(session).catch(() => {})
}

/** Stores the sessions of one realm in PostgreSQL. */
export function sessionStore(orm: MikroORM, realm: SessionRealm): NonNullable<CreateSessionOptions['store']> {
  const em = (): EntityManager => orm.em.fork()
  const read = createReadSession(orm, realm)
  const markSeen = createMarkSeen(orm)
  const extend = createExtendSession(orm)

  return {
    async get(id: string, _maxAge: number, { ctx }: { ctx?: Context }) {
      const row = await read(hashSessionId(id))
      if (!row) return undefined
      if (row.account_id && row.name) {
        const state = ctx?.state as SessionState
        state.actors = {
          ...state.actors,
          [realm]: {
            id: row.account_id,
            name: row.name,
            language: row.language,
            ...(row.role && { role: row.role }),
          },
        }
        markSeen(row, state.clientAddress)
      }
      return row.data
    },

    /** Inserts only ids generated in this request, once. Any other session must still exist: a logged-out session stays logged out. */
    async set(id: string, data: Record<string, unknown>, maxAge: number, { changed, ctx }: { changed: boolean; ctx?: Context }) {
      const state = ctx?.state as SessionState
      const accountId = data.accountId ?? null
      const isNew = takeNewSessionId(state, id)
      if (isNew && state.renewal) {
        // In one statement: a session that was deleted and inserted again would survive what ends all sessions in between.
        const renewed = await sql(
          em(),
          `update web_sessions set id_hash = $2, data = $3, expires_at = ${endAfter('$4')}, last_seen_at = now() where id_hash = $1
           returning id_hash`,
          [state.renewal.idHash, hashSessionId(id), JSON.stringify(data), maxAge],
        )
        if (ctx && renewed.length > 0) unmarkReplaced(ctx)
      } else if (isNew) {
        await sql(
          em(),
          `insert into web_sessions (id_hash, realm, key, account_id, account_epoch, data, ip_address, user_agent, created_at, last_seen_at, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, now(), now(), ${endAfter('$9')})`,
          [
            hashSessionId(id),
            realm,
            data.key ?? newId(),
            accountId,
            data.accountEpoch ?? null,
            JSON.stringify(data),
            state.clientAddress,
            ctx?.get('user-agent').slice(0, 300),
            maxAge,
          ],
        )
      } else {
        const idHash = hashSessionId(id)
        if (changed)
          await sql(
            em(),
            `update web_sessions set data = $2, expires_at = ${endAfter('$3')}, last_seen_at = now() where id_hash = $1`,
            [idHash, JSON.stringify(data), maxAge],
          )
        else extend({ idHash, data: JSON.stringify(data), maxAge })
        // The request is done: it does not fail with this.
        const isLeft = await read(idHash).then(Boolean, () => true)
        if (ctx && !isLeft) markReplaced(ctx)
      }
    },

    async destroy(id: string, { ctx }: { ctx?: Context }) {
      const { renewal } = (ctx?.state ?? {}) as SessionState
      if (renewal) {
        renewal.idHash = hashSessionId(id)
        // Until the new id is stored: of two requests that replace the same id, one finds it gone.
        if (ctx) markReplaced(ctx)
      } else await sql(em(), 'delete from web_sessions where id_hash = $1', [hashSessionId(id)])
    },
  }
}
