import type { EntityManager } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'

/**
 * Lets a person look at the account's withdrawals for a day: it was recovered or has lost its authenticator, and who did that may not
 * be its owner (money.md 17).
 *
 * @param now real time.
 */
export async function reviewWithdrawalsForADay(em: EntityManager, { userId, now }: { userId: string; now: Date }): Promise<void> {
  await sql(em, 'update users set withdrawals_reviewed_until = $2 where id = $1', [userId, new Date(now.getTime() + DAY)])
}
