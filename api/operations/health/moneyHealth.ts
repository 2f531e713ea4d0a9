import { sql } from 'kysely'
import { formatAmount } from '#shared/amount.ts'
import { addBusinessDays, REVIEW_BUSINESS_DAYS } from '#shared/businessDays.ts'
import { HOUR } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { describeAge } from './describeAge.ts'
import { check, type HealthSource } from './HealthSource.ts'

/** One day before the promised processing time. */
const BUSINESS_DAYS = REVIEW_BUSINESS_DAYS - 1

const shown = (sum: bigint | null): string => formatAmount(sum ?? 0n, { grouped: true })

/** Deposits that are not matched to a purchase. */
export function depositHealth({ clock }: Pick<Services, 'clock'>): HealthSource {
  return async (em) => {
    const { count, sum, oldest } = await query(em)
      .selectFrom('deposits')
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        fn.sum<bigint | null>('amount').as('sum'),
        fn.min<Date | null>('firstSeenAt').as('oldest'),
      ])
      .where('state', '=', 'review')
      .executeTakeFirstOrThrow()
    const name = 'Unmatched deposits'
    if (oldest === null) return [check(name, { ok: true, value: 'none', advice: '' })]
    const [since, now] = [oldest, clock.productNow()]
    const age = describeAge(now.getTime() - since.getTime())
    return [
      check(name, {
        ok: now < addBusinessDays(since, BUSINESS_DAYS),
        waits: true,
        value: `${count}: ${shown(sum)} USDT in total, oldest waiting ${age}`,
        advice: 'Open Purchases and resolve them under Review. Buyers are promised a decision within five business days.',
      }),
    ]
  }
}

/** Withdrawals that a person decides about. Those on hold are released by the clock. */
export function reviewHealth({ clock }: Pick<Services, 'clock'>): HealthSource {
  return async (em) => {
    const { count, sum, oldest } = await query(em)
      .selectFrom('withdrawals')
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        fn.sum<bigint | null>('amount').as('sum'),
        fn.min<Date | null>('requestedAt').as('oldest'),
      ])
      .where('status', '=', 'manual_review')
      .where((eb) => eb.or([eb('reviewReason', '<>', 'recent_change'), eb('heldUntil', 'is', null)]))
      .executeTakeFirstOrThrow()
    const name = 'Withdrawals in review'
    if (oldest === null) return [check(name, { ok: true, value: 'none', advice: '' })]
    const age = describeAge(clock.now().getTime() - oldest.getTime())
    return [
      check(name, {
        ok: true,
        waits: true,
        value: `${count}: ${shown(sum)} XCR in total, oldest waiting ${age}`,
        advice: 'Open Withdrawals and approve or reject them. Nothing is paid until then.',
      }),
    ]
  }
}

/** The audit runs once a day; this allows for some delay. */
const AUDITED_WITHIN = 26 * HOUR

/** The result of the last audit. */
export function bookHealth({ clock }: Pick<Services, 'clock'>): HealthSource {
  return async (em) => {
    const run = await query(em)
      .selectFrom('audit_runs')
      .select(['at', 'unchecked', 'differences'])
      .orderBy('at', 'desc')
      .limit(1)
      .executeTakeFirst()
    const name = 'Ledger audit'
    if (!run)
      return [
        check(name, { ok: false, value: 'not run yet', advice: 'A worker runs it once a day. Check that a worker is running.' }),
      ]
    const { unchecked, differences } = run
    const age = clock.now().getTime() - run.at.getTime()
    const when = `${describeAge(age)} ago`
    if (differences.length > 0)
      return [
        check(name, {
          ok: false,
          value: `${differences.length} differences, ${when}: ${differences[0]}`,
          advice: 'Money may be at risk. Run `npm run audit` to see all differences, and contact the operator.',
        }),
      ]
    if (unchecked.length > 0)
      return [
        check(name, {
          ok: false,
          value: `some parts could not be checked, ${when}: ${unchecked.join('; ')}`,
          advice: 'Check the endpoints of both chains, then run `npm run audit`.',
        }),
      ]
    const { fullAt } = await query(em)
      .selectFrom('audit_runs')
      .select(({ fn }) => fn.max('at').as('fullAt'))
      .where('isFull', '=', true)
      .where(sql<boolean>`unchecked = '[]'`)
      .executeTakeFirstOrThrow()
    const since = fullAt && `${describeAge(clock.now().getTime() - fullAt.getTime())} ago`
    return [
      check(name, {
        ok: age <= AUDITED_WITHIN,
        value: since
          ? `everything agreed, ${when}; with old blocks and archived rows ${since}`
          : `everything agreed, ${when}; old blocks and archived rows were not read`,
        advice: 'A worker runs it once a day. Check that a worker is running.',
      }),
    ]
  }
}
