import { utcDay } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { type Sweep, TryLater } from '#api/platform/jobs/defineJob.ts'
import { makeLedgerMonths } from '../ledger/prepareLedgerMonths.ts'
import type { Services } from '#api/platform/services.ts'
import { closeDay } from './closeDay.ts'
import { requireDayCome, DayUnconfirmed, type TimeSources, timeSourcesOf } from './requireDayCome.ts'
import { mailUnconfirmedDay } from './mailUnconfirmedDay.ts'
import { payDay } from './payDay.ts'
import { dayAfter, lastDueDay } from '#shared/rewardTime.ts'

/** Seconds until an unconfirmed day is retried. */
const UNCONFIRMED_RETRY_SECONDS = 10

/** Frequent enough to follow a demo's clock, which is read every half second, within a second. An idle run costs one index lookup. */
export const payRewards: Sweep<'clock' | 'config' | 'jobs' | 'orm' | 'paymentChain' | 'rewardChain'> = {
  name: 'pay-rewards',
  everySeconds: 0.4,
  async run(services) {
    try {
      await payDueDays({ ...services, timeSources: timeSourcesOf(services) })
    } catch (error) {
      if (!(error instanceof DayUnconfirmed)) throw error
      await mailUnconfirmedDay(services, error)
      throw new TryLater(error.message, { seconds: UNCONFIRMED_RETRY_SECONDS })
    }
  },
}

/**
 * Pays every unpaid day whose 09:00 has come in product time, oldest first. Any number of workers may run it. A day whose payment was
 * interrupted is paid by the next run.
 *
 * @throws {DayUnconfirmed} if only this machine's clock shows that a day has come.
 */
export async function payDueDays({
  orm,
  clock,
  timeSources,
}: Pick<Services, 'orm' | 'clock'> & { timeSources: TimeSources }): Promise<void> {
  for (;;) {
    const next = await findNextDay({ orm })
    if (!next || next.day > lastDueDay(clock.productNow())) return
    const { day, closed } = next
    await requireDayCome(day, { clock, timeSources })
    await makeLedgerMonths({ orm }, { from: day, months: 1 })
    if (!closed) await orm.em.fork().transactional((em) => closeDay(em, { day, now: clock.now() }))
    const paid = await orm.em.fork().transactional((em) => payDay(em, { day, now: clock.now() }))
    // Another worker is paying this day and will pay the days after it.
    if (!paid) return
  }
}

/**
 * The oldest closed and unpaid day; else the day after the last closed one; else the day of the first node. Undefined if there is no node.
 */
async function findNextDay({ orm }: Pick<Services, 'orm'>): Promise<{ day: string; closed: boolean } | undefined> {
  const db = query(orm.em.fork())
  const run = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('reward_runs as u')
        .select(({ fn }) => fn.min('u.day').as('day'))
        .where('u.paidAt', 'is', null)
        .as('unpaid'),
      selectFrom('reward_runs as r')
        .select(({ fn }) => fn.max('r.day').as('day'))
        .as('last'),
    ])
    .executeTakeFirst()
  if (run?.unpaid) return { day: run.unpaid, closed: true }
  if (run?.last) return { day: dayAfter(run.last), closed: false }
  const first = await db
    .selectFrom('nodes')
    .select((eb) => eb.fn.min('allocatedAt').as('at'))
    .executeTakeFirst()
  return first?.at ? { day: utcDay(first.at), closed: false } : undefined
}
