import { utcDay } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { type Sweep, TryLater } from '#api/platform/jobs/defineJob.ts'
import { makeLedgerMonths } from '../ledger/prepareLedgerMonths.ts'
import type { Services } from '#api/platform/services.ts'
import { closeDay } from './closeDay.ts'
import { confirmDay, DayUnconfirmed, type TimeSources, timeSourcesOf } from './confirmDay.ts'
import { mailUnconfirmedDay } from './mailUnconfirmedDay.ts'
import { payDay } from './payDay.ts'
import { dayAfter, lastDueDay } from '#shared/rewardTime.ts'

/** Seconds until a day that is not confirmed is looked at again. */
const UNCONFIRMED_PAUSE = 10

/** Often enough that a demo's clock, which a role reads every half second, is followed within a second. Costs one look at an index. */
export const payRewards: Sweep<'clock' | 'config' | 'jobs' | 'orm' | 'paymentChain' | 'rewardChain'> = {
  name: 'pay-rewards',
  everySeconds: 0.4,
  async run(services) {
    try {
      await payDueDays({ ...services, timeSources: timeSourcesOf(services) })
    } catch (error) {
      if (!(error instanceof DayUnconfirmed)) throw error
      await mailUnconfirmedDay(services, error)
      throw new TryLater(error.message, { seconds: UNCONFIRMED_PAUSE })
    }
  },
}

/**
 * Pays every day whose 09:00 has come in product time and that is not paid, the oldest first. Any number of workers may try; a day
 * whose payment was interrupted is paid by the next try.
 *
 * @throws {DayUnconfirmed} if only this machine's clock says that a day has come.
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
    await confirmDay(day, { clock, timeSources })
    await makeLedgerMonths({ orm }, { from: day, months: 1 })
    if (!closed) await orm.em.fork().transactional((em) => closeDay(em, { day, now: clock.now() }))
    const paid = await orm.em.fork().transactional((em) => payDay(em, { day, now: clock.now() }))
    // Another worker is at it: the days after it are that one's too.
    if (!paid) return
  }
}

/** The oldest day that is closed and not paid; else the one after the last; else that of the first node. Undefined before there is one. */
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
