import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'

/** How long withdrawals are on hold after a change of the account (money.md 17). */
export const HOLD_PERIOD = DAY

/**
 * Puts the account's withdrawals on hold for a day. The account was recovered or has lost its authenticator, possibly by somebody other
 * than its owner (money.md 17).
 *
 * @param now real time.
 */
export async function holdWithdrawals(em: EntityManager, { userId, now }: { userId: string; now: Date }): Promise<void> {
  await query(em)
    .updateTable('users')
    .set({ withdrawalsReviewedUntil: new Date(now.getTime() + HOLD_PERIOD) })
    .where('id', '=', userId)
    .execute()
  await extendHolds(em, { userId, now })
}

/**
 * Starts the hold of the account's held withdrawals anew, because the account was changed again. A withdrawal whose hold was over and
 * which waits for a person is held again.
 */
export async function extendHolds(em: EntityManager, { userId, now }: { userId: string; now: Date }): Promise<void> {
  // Locked in the order of ids, as everywhere. The release by the clock reads the time again under this lock.
  const held = await query(em)
    .selectFrom('withdrawals')
    .select('id')
    .where('user', '=', userId)
    .where('status', '=', 'manual_review')
    .where('heldUntil', 'is not', null)
    .where('reviewReason', '<>', 'unknown_outcome')
    .orderBy('id')
    .forUpdate()
    .execute()
  if (held.length === 0) return
  const ids = held.map(({ id }) => id)
  await query(em)
    .updateTable('withdrawals')
    .set({ heldUntil: new Date(now.getTime() + HOLD_PERIOD) })
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  await recordChange(em, { userId, keys: [listWithdrawals.path] })
}
