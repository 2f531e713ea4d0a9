import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Waiting } from '#shared/contract/admin/waiting.ts'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { countProposals } from '../proposals/readProposals.ts'
import { countCases } from '../lists/listPendingReviews.ts'

/** A task that is no longer scheduled stops counting after this time. Every scheduled one runs more often. */
const FAILURE_COUNTS_FOR = 2 * DAY

/** Queues whose jobs failed permanently today. The tables of pg-boss have no entities. */
const FAILED_QUEUES = sql<number>`(select count(*)::int from pgboss.queue where failed_count > 0)`

/** Counts what waits for an administrator. Every count reads an index of waiting rows or a table with few rows. */
export async function readWaiting(em: EntityManager, viewing: Parameters<typeof countProposals>[1]): Promise<Waiting> {
  const { now } = viewing
  const { inReview, holds } = await query(em)
    .selectFrom('withdrawals')
    .select((eb) => [
      eb.fn.countAll<number>().as('inReview'),
      eb.fn
        .countAll<number>()
        .filterWhere(eb.and([eb('reviewReason', '=', 'recent_change'), eb('heldUntil', 'is not', null)]))
        .as('holds'),
    ])
    .where('status', '=', 'manual_review')
    .executeTakeFirstOrThrow()
  const { stoppedPayouts, lowWallets } = await query(em)
    .selectFrom('payout_wallets')
    .select(({ fn }) => [fn.count<number>('stoppedBecause').as('stoppedPayouts'), fn.count<number>('lowSince').as('lowWallets')])
    .executeTakeFirstOrThrow()
  const audit = await query(em).selectFrom('audit_runs').select('differences').orderBy('at', 'desc').limit(1).executeTakeFirst()
  const { tasks, queues } = await query(em)
    .selectFrom('sweep_runs')
    .select(({ fn }) => [fn.countAll<number>().as('tasks'), FAILED_QUEUES.as('queues')])
    .where('failedAt', '>', new Date(now.getTime() - FAILURE_COUNTS_FOR))
    .where((eb) => eb.or([eb('finishedAt', 'is', null), eb('failedAt', '>', eb.ref('finishedAt'))]))
    .executeTakeFirstOrThrow()
  const counts = {
    withdrawals: inReview - holds,
    holds,
    reviews: await countCases(em),
    proposals: await countProposals(em, viewing),
    stoppedPayouts,
    lowWallets,
    differences: audit?.differences.length ?? 0,
    failingTasks: tasks + queues,
  }
  return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count) }
}
