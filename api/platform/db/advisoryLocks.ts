import type { EntityManager } from '@mikro-orm/postgresql'
import { expressionBuilder, type Expression } from 'kysely'

const { fn, val } = expressionBuilder()

/** A single lock with this name. */
export const lockNamed = (name: string) => fn<number>('hashtext', [val(name)])
/** One of many locks of a kind, for example one per transaction hash. */
export const lockOf = (key: string, kind = 0) => fn<number>('hashtextextended', [val(key), val(kind)])

/** Acquires the lock until the transaction ends, waiting if it is held. */
export const lockUntilCommit = (em: EntityManager, lock: Expression<number>) => call(em, 'pg_advisory_xact_lock', lock)

/** Like `lockUntilCommit`, but shared with other holders of the shared lock. */
export const shareUntilCommit = (em: EntityManager, lock: Expression<number>) => call(em, 'pg_advisory_xact_lock_shared', lock)

/** Acquires the lock until the transaction ends. @returns false if it is held. */
export const tryLockUntilCommit = async (em: EntityManager, lock: Expression<number>): Promise<boolean> =>
  (await call(em, 'pg_try_advisory_xact_lock', lock)) === true

/**
 * Like `tryLockUntilCommit`, for a transaction that only holds the lock while its process works in others, or reads a chain. PostgreSQL
 * would end a transaction that is idle for minutes (prepareDatabase.ts), and the work would be lost. Keepalives find machines that are gone.
 */
export async function tryLockWhileIdle(em: EntityManager, lock: Expression<number>): Promise<boolean> {
  const setting = fn<string>('set_config', [val('idle_in_transaction_session_timeout'), val('0'), val(true)])
  await em.getKysely().selectNoFrom(setting.as('answer')).execute()
  return tryLockUntilCommit(em, lock)
}

async function call(em: EntityManager, name: string, lock: Expression<number>) {
  const { answer } = await em
    .getKysely()
    .selectNoFrom(fn<unknown>(name, [lock]).as('answer'))
    .executeTakeFirstOrThrow()
  return answer
}
