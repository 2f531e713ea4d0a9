import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { sumUndecided } from './sumUndecided.ts'

export interface AskedDecision {
  id: string
  limit: bigint
  /** Real time. */
  now: Date
}

/**
 * Whether a withdrawal is above the limit, alone or with those that its account withdraws within 24 hours without a decision about the limit
 * (`sumUndecided`). The locks keep the answer until the transaction ends. Lock order: user, withdrawal.
 */
export async function isAboveReviewLimit(em: EntityManager, { id, limit, now }: AskedDecision): Promise<boolean> {
  const owner = await query(em)
    .selectFrom('users as u')
    .innerJoin('withdrawals as w', 'w.user', 'u.id')
    .select('u.id')
    .where('w.id', '=', id)
    .forNoKeyUpdate('u')
    .executeTakeFirst()
  if (!owner) return false
  const row = await query(em)
    .selectFrom('withdrawals')
    .select(['amount', 'reviewReason'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (row.reviewReason === 'above_limit' || row.amount > limit) return true
  return row.amount + (await sumUndecided(em, { userId: owner.id, except: id, now })) > limit
}
