import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'

export interface Summed {
  userId: string
  /** A withdrawal that is left out. */
  except?: string
  /** Real time. */
  now: Date
}

/**
 * The sum that an account withdraws within 24 hours without a decision about the review limit, so that a large amount cannot avoid one by
 * being split. Such a decision is the approval of a withdrawal above the limit, or one by two persons. One person who approves for another
 * reason, such as a wallet that is a contract, decides about no limit. A held withdrawal counts from its request until 24 hours after its
 * release: otherwise a day of held ones would be paid at once, together with the next ones. The caller has locked the user, so that
 * concurrent requests and approvals count each other.
 */
export async function sumUndecided(em: EntityManager, { userId, except, now }: Summed): Promise<bigint> {
  const since = new Date(now.getTime() - DAY)
  const approvals = query(em)
    .selectFrom('audit_entries as e')
    .select('e.id')
    .where('e.action', 'in', ['withdrawal.approve', 'withdrawal.mark_paid'])
    .where('e.at', '>', since)
    .where('e.target', '=', sql<string>`'withdrawal:' || ${sql.ref('w.id')}`)
  const decidesAboutLimit = sql<boolean>`(e.after ->> 'proposedBy' is not null or e.before ->> 'reviewReason' = 'above_limit')`
  const { sum } = await query(em)
    .selectFrom('withdrawals as w')
    .select((eb) => eb.fn.sum<bigint | null>('w.amount').as('sum'))
    .where('w.user', '=', userId)
    .$if(except !== undefined, (others) => others.where('w.id', '<>', except!))
    .where('w.status', '<>', 'failed')
    .where((eb) =>
      eb.or([
        eb.and([
          eb.or([eb('w.requestedAt', '>', since), eb('w.heldUntil', '>', since)]),
          eb.or([
            eb('w.status', '<>', 'manual_review'),
            eb.and([eb('w.reviewReason', '=', 'recent_change'), eb('w.heldUntil', 'is not', null)]),
          ]),
        ]),
        eb.exists(approvals),
      ]),
    )
    .where(({ not, exists }) => not(exists(approvals.where(decidesAboutLimit))))
    .executeTakeFirstOrThrow()
  return sum ?? 0n
}
