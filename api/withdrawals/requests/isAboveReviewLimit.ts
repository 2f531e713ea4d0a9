import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'

export interface AskedDecision {
  id: string
  limit: bigint
  /** Real time. */
  now: Date
}

/**
 * Whether a withdrawal is above the limit, alone or with the others of its account within 24 hours that two persons have not approved,
 * whatever their reasons for review. The locks keep the answer until the transaction ends. Lock order: user, withdrawal.
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
  return row.amount + (await sumOthers(em, { id, userId: owner.id, since: new Date(now.getTime() - DAY) })) > limit
}

async function sumOthers(em: EntityManager, { id, userId, since }: { id: string; userId: string; since: Date }): Promise<bigint> {
  const decisions = query(em)
    .selectFrom('audit_entries as e')
    .select('e.id')
    .where('e.action', 'in', ['withdrawal.approve', 'withdrawal.mark_paid'])
    .where('e.at', '>', since)
    .where('e.target', '=', sql<string>`'withdrawal:' || ${sql.ref('w.id')}`)
  const proposedBy = sql<string | null>`${sql.ref('e.after')} ->> 'proposedBy'`
  const { sum } = await query(em)
    .selectFrom('withdrawals as w')
    .select((eb) => eb.fn.sum<bigint | null>('w.amount').as('sum'))
    .where('w.user', '=', userId)
    .where('w.id', '<>', id)
    .where('w.status', '<>', 'failed')
    .where((eb) =>
      eb.or([
        eb.and([eb('w.status', '<>', 'manual_review'), eb.or([eb('w.requestedAt', '>', since), eb('w.heldUntil', '>', since)])]),
        eb.exists(decisions.where(proposedBy, 'is', null)),
      ]),
    )
    .where(({ not, exists }) => not(exists(decisions.where(proposedBy, 'is not', null))))
    .executeTakeFirstOrThrow()
  return sum ?? 0n
}
