import { MikroORM } from '@mikro-orm/postgresql'
import { ONE_TOKEN } from '#shared/amount.ts'
import { auditDatabase } from '#api/integrity/auditDatabase.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { makeLedgerMonths } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import { clockTimeSources, FakeClock } from '#api/testing/FakeClock.ts'
import { type Check, type Comparison, median } from '../Comparison.ts'
import type { Parts } from '../startParts.ts'
import { payDayBare } from './payDayBare.ts'
import { payDayByFlush } from './payDayByFlush.ts'
import { prepareHolders } from './prepareHolders.ts'
import { visitPages } from './visitPages.ts'

const ROUNDS = 5
/** The number of days paid while pages are visited. */
const VISITED_DAYS = 6
/** The number of holders for the slow ORM variant, whose time is extrapolated. */
const FLUSHED = 5_000
const FIRST_DAY = '2027-03-01'
const RATE = 10n * ONE_TOKEN

interface Size {
  holders: number
  nodesEach: number
}

/** Measures one day's rewards, paid alternately by the product and by plain SQL on consecutive days. */
export async function measureDailyRun(
  parts: Parts,
  { holders, nodesEach }: Size = { holders: 100_000, nodesEach: 10 },
): Promise<(Comparison | Check)[]> {
  const { database, postgres } = parts
  // The first start also migrates the database.
  const web = await parts.startWeb()
  const orm = new MikroORM(ormOptions({ url: postgres.url }))
  try {
    await prepareHolders(database, { holders, nodesEach, firstDay: FIRST_DAY })
    await makeLedgerMonths({ orm }, { from: FIRST_DAY, months: 3 })
    let day = FIRST_DAY
    const product: number[] = []
    const bare: number[] = []
    // The first day creates the accounts.
    await payByProduct(await nextDay())
    await payByProduct(await nextDay())
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await payBySql(await nextDay()))
      product.push(await payByProduct(await nextDay()))
    }
    // Warm-up: the first answers of a process are slow.
    await payDuringVisits()
    const waits: number[] = []
    for (let count = 0; count < VISITED_DAYS; count += 1) waits.push(...(await payDuringVisits()))
    // The days are in the future, as for the clock that paid them.
    const at = rewardInstant(day)
    const findings = await auditDatabase(orm.em.fork(), { now: at, productNow: at })
    const differing = findings.filter(({ differences }) => differences.length > 0)
    const flushes = (await payByFlush()) * (holders / FLUSHED)

    const subject = `a day's rewards for ${count(holders)} holders of ${count(holders * nodesEach)} nodes`
    const slowest = quantile(waits, 0.99)
    return [
      {
        subject,
        measured: seconds(median(product)),
        comparedWith: `the same rows by plain SQL in psql, ${seconds(median(bare))}`,
        ratio: median(product) / median(bare),
        goal: { bound: 'atMost', value: 1.5 },
      },
      {
        subject,
        measured: seconds(median(product)),
        comparedWith: `a flush for each holder, ${seconds(flushes)} extrapolated from ${count(FLUSHED)}`,
        ratio: flushes / median(product),
        goal: { bound: 'atLeast', value: 300 },
      },
      {
        subject: '100 page requests a second during the run',
        measured: `p99 ${slowest.toFixed(1)} ms`,
        comparedWith: '50 ms',
        ratio: slowest / 50,
        goal: { bound: 'atMost', value: 1 },
      },
      {
        subject: 'audit after these days',
        measured: differing.length === 0 ? 'no differences' : differing.flatMap(({ differences }) => differences)[0]!,
        comparedWith: `${findings.length} checks`,
        holds: differing.length === 0,
      },
    ]

    async function payByProduct(today: string): Promise<number> {
      const clock = new FakeClock()
      clock.set(rewardInstant(today))
      return time(() => payDueDays({ orm, clock, timeSources: clockTimeSources(clock) }))
    }

    async function payDuringVisits(): Promise<number[]> {
      const today = await nextDay()
      const visits = visitPages(web.port)
      await payByProduct(today)
      return visits.stop()
    }

    async function payBySql(today: string): Promise<number> {
      const elapsed = await payDayBare(postgres.url, { day: today, rate: RATE })
      await database.query(
        `insert into reward_runs (day, rate, closed_at, paid_at, users, nodes, amount)
         select $1, $2, $3, $3, count(*), sum(active_nodes), sum(amount) from distributions where day = $1`,
        [today, RATE.toString(), rewardInstant(today)],
      )
      return elapsed
    }

    async function payByFlush(): Promise<number> {
      const today = await nextDay()
      const { rows } = await database.query<{ user_id: string }>('select distinct user_id from nodes limit $1', [FLUSHED])
      const users = rows.map(({ user_id }) => user_id)
      return (await time(() => payDayByFlush(orm, { day: today, rate: RATE, users }))) * (FLUSHED / users.length)
    }

    /** Advances to the next day, with tables as compact as on the day before. */
    async function nextDay(): Promise<string> {
      day = dayAfter(day)
      await database.query('vacuum accounts')
      await database.query('checkpoint')
      return day
    }
  } finally {
    await orm.close(true)
    await web.stop()
  }
}

async function time(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const quantile = (figures: readonly number[], share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.ceil(figures.length * share) - 1] ?? 0
const count = (figure: number): string => figure.toLocaleString('en-US')
const seconds = (milliseconds: number): string =>
  milliseconds < 100_000 ? `${(milliseconds / 1_000).toFixed(2)} s` : `${count(Math.round(milliseconds / 1_000))} s`
