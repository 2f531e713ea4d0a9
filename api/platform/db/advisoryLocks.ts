import type { EntityManager } from '@mikro-orm/postgresql'
import { expressionBuilder, type Expression } from 'kysely'

const { fn, val } = expressionBuilder()

/** The one lock of a name. */
export const lockNamed = (name: string) => fn<number>('hashtext', [val(name)])
/** One of many locks of the same kind, such as one for each transaction. */
export const lockOf = (key: string, kind = 0) => fn<number>('hashtextextended', [val(key), val(kind)])

/** Waits until nobody else has the lock, and keeps it until the transaction ends. */
export const lockUntilCommit = (em: EntityManager, lock: Expression<number>) => call(em, 'pg_advisory_xact_lock', lock)

/** As `lockUntilCommit`, together with others who share it. */
export const shareUntilCommit = (em: EntityManager, lock: Expression<number>) => call(em, 'pg_advisory_xact_lock_shared', lock)

/** Takes the lock until the transaction ends, or answers false if somebody else has it. */
export const tryLockUntilCommit = async (em: EntityManager, lock: Expression<number>): Promise<boolean> =>
  (await call(em, 'pg_try_advisory_xact_lock', lock)) === true

async function call(em: EntityManager, name: string, lock: Expression<number>) {
  const { answer } = await em
    .getKysely()
    .selectNoFrom(fn<unknown>(name, [lock]).as('answer'))
    .executeTakeFirstOrThrow()
  return answer
}
