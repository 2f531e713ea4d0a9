import type { EntityManager } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'

/**
 * Lets a person look at the account's withdrawals for a day: it was recovered or has lost its authenticator, and who did that may not
 * be its owner (money.md 17).
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
