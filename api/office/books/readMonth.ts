import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Month } from '#shared/contract/admin/books.ts'
import { midnightOf, monthRange, utcDay } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { holdLedgerMonths } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import { readUnfinished } from '#api/withdrawals/requests/readUnfinished.ts'
import { readDailyTotals } from '../figures/readTotals.ts'
import { readMoved, readNet } from './readMoved.ts'

/** The figures of a month, all of one snapshot, so that they agree with each other. */
export const readMonth = (em: EntityManager, { month, productNow }: { month: string; productNow: Date }): Promise<Month> =>
  em.fork().transactional(
    async (reader) => {
      await holdLedgerMonths(reader)
      return readFigures(reader, { month, productNow })
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  )

async function readFigures(em: EntityManager, { month, productNow }: { month: string; productNow: Date }): Promise<Month> {
  const { begin, end } = monthRange(month)
  const [from, until] = [midnightOf(begin), midnightOf(end)]
  const sold = sumDays(await readDailyTotals(em, { subject: 'sales', from: begin, to: utcDay(new Date(until.getTime() - 1)) }))
  const bonuses = sumDays(
    await readDailyTotals(em, { subject: 'bonuses', from: begin, to: utcDay(new Date(until.getTime() - 1)) }),
  )
  const { openWithdrawals, unpaidDays, openDebts, frozenNodes } = await readUnfinished(em, end)
  const moved = await readMoved(em, { begin, end })
  const balances = await readBalances(em)
  const audit = await query(em)
    .selectFrom('audit_runs')
    .select(['at', 'differences', 'unchecked'])
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { setUpAt } = await query(em).selectFrom('installation').select('setUpAt').where('id', '=', 1).executeTakeFirstOrThrow()
  return {
    month,
    // Real time, which the product's never is behind.
    isBeforeSetup: setUpAt !== null && until <= setUpAt,
    isFinal: productNow >= until && openWithdrawals + unpaidDays + openDebts + frozenNodes === 0,
    openWithdrawals,
    sold: { count: sold.rows, nodes: sold.nodes, usdt: sold.amount },
    bonusNodes: bonuses.nodes,
    received: await readReceived(em, { from, until }),
    refunded: await readRefunded(em, { from, until }),
    owed: {
      opening: balances - (await readNet(em, begin)),
      rewarded: moved('distribution') + moved('correction'),
      requested: moved('withdrawal'),
      refunded: moved('refund'),
      debts: moved('debt'),
      debtsPaid: moved('debt-paid'),
      closing: balances - (await readNet(em, end)),
    },
    paid: await readPaid(em, { from, until }),
    fees: moved('fee'),
    hotWallet: { ...(await readSent(em, { from, until })), balances: await readWalletBalances(em, { begin, end }) },
    audit: audit ?? null,
  }
}

interface Span {
  from: Date
  until: Date
}

function sumDays(days: readonly { rows: number; nodes: number; amount: bigint }[]) {
  return {
    rows: days.reduce((sum, { rows }) => sum + rows, 0),
    nodes: days.reduce((sum, { nodes }) => sum + nodes, 0),
    amount: days.reduce((sum, { amount }) => sum + amount, 0n),
  }
}

/** What all holders own now: what the house accounts lack, because each entry only moves XCR. The audit holds each balance to its entries. */
async function readBalances(em: EntityManager): Promise<bigint> {
  const { balance } = await query(em)
    .selectFrom('accounts')
    .select(({ fn, lit }) => fn.coalesce(fn.sum<bigint>('balance'), lit(0)).as('balance'))
    .where('kind', '<>', 'user')
    .executeTakeFirstOrThrow()
  return -BigInt(balance)
}

async function readReceived(em: EntityManager, { from, until }: Span): Promise<Month['received']> {
  const sums = await query(em)
    .selectFrom('deposits as d')
    .select(({ fn, eb, lit }) => {
      const of = (states: readonly ('matched' | 'assigned' | 'review' | 'ignored' | 'refunded')[]) =>
        fn.coalesce(fn.sum<bigint>('d.amount').filterWhere(eb('d.state', 'in', states)), lit(0))
      return [
        fn.countAll<number>().as('count'),
        fn.coalesce(fn.sum<bigint>('d.amount'), lit(0)).as('usdt'),
        of(['matched', 'assigned']).as('used'),
        of(['review']).as('inReview'),
        of(['ignored']).as('ignored'),
        of(['refunded']).as('returned'),
      ]
    })
    .where('d.state', 'not in', ['seen', 'orphaned'])
    .where('d.blockNumber', 'is not', null)
    .where('d.firstSeenAt', '>=', from)
    .where('d.firstSeenAt', '<', until)
    .executeTakeFirstOrThrow()
  const { count, ...amounts } = sums
  return { count, ...mapValues(amounts) }
}

async function readRefunded(em: EntityManager, { from, until }: Span): Promise<Month['refunded']> {
  const { count, usdt } = await query(em)
    .selectFrom('deposits')
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<bigint>('refundedAmount'), lit(0)).as('usdt'),
    ])
    .where('state', '=', 'refunded')
    .where('closedAt', '>=', from)
    .where('closedAt', '<', until)
    .executeTakeFirstOrThrow()
  return { count, usdt: BigInt(usdt) }
}

async function readPaid(em: EntityManager, { from, until }: Span): Promise<Month['paid']> {
  const { count, xcr } = await query(em)
    .selectFrom('withdrawals as w')
    .select(({ fn, lit, ref }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<bigint>(sql<bigint>`${ref('w.amount')} - ${ref('w.fee')}`), lit(0)).as('xcr'),
    ])
    .where('w.status', '=', 'completed')
    .where('w.completedAt', '>=', from)
    .where('w.completedAt', '<', until)
    .executeTakeFirstOrThrow()
  return { count, xcr: BigInt(xcr) }
}

async function readSent(em: EntityManager, { from, until }: Span): Promise<Omit<Month['hotWallet'], 'balances'>> {
  const sums = await query(em)
    .selectFrom('payouts as p')
    .select(({ fn, eb, lit }) => {
      const isSweep = eb('p.withdrawal', 'is', null)
      const isPayment = eb('p.withdrawal', 'is not', null)
      return [
        fn.countAll<number>().filterWhere(isPayment).as('payments'),
        fn.coalesce(fn.sum<bigint>('p.amount').filterWhere(isPayment), lit(0)).as('paid'),
        fn.countAll<number>().filterWhere(isSweep).as('sweeps'),
        fn.coalesce(fn.sum<bigint>('p.amount').filterWhere(isSweep), lit(0)).as('swept'),
      ]
    })
    .where('p.state', '=', 'paid')
    .where('p.settledAt', '>=', from)
    .where('p.settledAt', '<', until)
    .executeTakeFirstOrThrow()
  return {
    withdrawals: { count: sums.payments, xcr: BigInt(sums.paid) },
    sweeps: { count: sums.sweeps, xcr: BigInt(sums.swept) },
  }
}

/** A wallet's reading of the day after the month is the nearest to its end. */
async function readWalletBalances(em: EntityManager, { begin, end }: { begin: string; end: string }) {
  const rows = await query(em)
    .selectFrom('payout_wallet_readings')
    .select(['wallet', 'day', 'at', 'blockNumber', 'tokens', 'coins'])
    .where('day', '>=', begin)
    .where('day', '<=', end)
    .orderBy('day')
    .execute()
  return [...Map.groupBy(rows, ({ wallet }) => wallet)].map(([wallet, readings]) => ({
    wallet,
    opening: readings.find(({ day }) => day < end) ?? null,
    closing: readings.at(-1) ?? null,
  }))
}

const mapValues = <Name extends string>(amounts: Record<Name, bigint | number>) =>
  Object.fromEntries(Object.entries<bigint | number>(amounts).map(([name, value]) => [name, BigInt(value)])) as Record<
    Name,
    bigint
  >
