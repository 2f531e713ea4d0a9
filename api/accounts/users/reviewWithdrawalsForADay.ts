import type { EntityManager } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'

/**
 * Requires a manual review of the account's withdrawals for a day. The account was recovered or has lost its authenticator,
 * possibly by somebody other than its owner (money.md 17).
 *
 * @param now real time.
 */
export async function reviewWithdrawalsForADay(em: EntityManager, { userId, now }: { userId: string; now: Date }): Promise<void> {
  await query(em)
    .updateTable('users')
    .set({ withdrawalsReviewedUntil: new Date(now.getTime() + DAY) })
    .where('id', '=', userId)
    .execute()
}
