import { expect, test } from 'vitest'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { amountOf, someDistribution, somePurchase, someWithdrawal } from '#pwa/testing/answers.ts'
import { distributionEntry, type HistoryEntry, purchaseEntry, withdrawalEntry } from './historyEntries.ts'
import { sumWithdrawals } from './sumWithdrawals.ts'
import { walkBalances } from './walkBalances.ts'

const at = (day: number) => new Date(Date.UTC(2026, 10, day, 9))

const distributed = (day: number, amount: string): HistoryEntry =>
  distributionEntry(someDistribution({ id: `d${day}`, createdAt: at(day), amount: amountOf(amount) }))

const withdrawn = (day: number, amount: string, status: WithdrawalStatus): HistoryEntry =>
  withdrawalEntry(someWithdrawal({ id: `w${day}`, createdAt: at(day), amount: amountOf(amount), status }))

const balancesOf = (entries: HistoryEntry[], available: string) =>
  walkBalances(entries, amountOf(available)).map(({ id, balance }) => [id, balance])

test('walking back, a distribution is subtracted and a completed withdrawal added', () => {
  expect(balancesOf([distributed(1, '4000'), distributed(2, '100'), withdrawn(3, '3000', 'completed')], '1100')).toEqual([
    ['w3', amountOf('1100')],
    ['d2', amountOf('4100')],
    ['d1', amountOf('4000')],
  ])
})

test.each([
  ['pending', '1000', 'Processing'],
  ['processing', '1000', 'Processing'],
  ['manual_review', '1000', null],
  ['failed', '4000', 'Withdrawal Failed'],
] as const)('a %s withdrawal of 3,000 out of 4,000 leaves %s and shows %s', (status, available, shown) => {
  expect(balancesOf([distributed(1, '4000'), withdrawn(2, '3000', status)], available)).toEqual([
    ['w2', shown],
    ['d1', amountOf('4000')],
  ])
})

/** 1,000 XCR, a payment of 3,000 that was found later, and rewards that paid 500 of its debt of 2,000, then the rest. */
const withDebt = (debt: { owed: bigint; closedAt: Date | null }, ...later: HistoryEntry[]) => {
  const found = someWithdrawal({ id: 'w2', createdAt: at(2), amount: amountOf('3000'), status: 'completed', debt })
  return [distributed(1, '1000'), withdrawalEntry(found), distributed(3, '500'), ...later]
}

test('while a debt is open, the history does not tell the balance, and before it does', () => {
  expect(balancesOf(withDebt({ owed: amountOf('1500'), closedAt: null }), '0')).toEqual([
    ['d3', null],
    ['w2', null],
    ['d1', amountOf('1000')],
  ])
})

test('after a debt is paid or forgiven, balances are exact again, and those before it stay so', () => {
  expect(balancesOf(withDebt({ owed: 0n, closedAt: at(5) }, distributed(4, '1600'), distributed(6, '50')), '150')).toEqual([
    ['d6', amountOf('150')],
    ['d4', null],
    ['d3', null],
    ['w2', null],
    ['d1', amountOf('1000')],
  ])
  expect(balancesOf(withDebt({ owed: amountOf('1500'), closedAt: at(5) }, distributed(6, '50')), '50')).toEqual([
    ['d6', amountOf('50')],
    ['d3', null],
    ['w2', null],
    ['d1', amountOf('1000')],
  ])
})

test('a purchase has no effect on XCR and shows no balance', () => {
  const purchase = purchaseEntry(somePurchase({ id: 'p2', createdAt: at(2) }))
  expect(balancesOf([distributed(1, '100'), purchase, distributed(3, '100')], '200')).toEqual([
    ['d3', amountOf('200')],
    ['p2', null],
    ['d1', amountOf('100')],
  ])
})

test("entries of one instant keep the server's order", () => {
  const entries = ['b', 'c', 'a'].map((id) => distributionEntry(someDistribution({ id, createdAt: at(1), amount: 1n })))
  expect(walkBalances(entries, 3n).map(({ id, balance }) => [id, balance])).toEqual([
    ['b', 3n],
    ['c', 2n],
    ['a', 1n],
  ])
})

test('an empty history shows nothing', () => {
  expect(walkBalances([], 0n)).toEqual([])
})

test('for random histories the walk back finds every balance exactly', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const { entries, balances, available } = live(seed)
    const rows = walkBalances(shuffle(entries, randomOf(seed)), available)

    expect(rows.map(({ id }) => id)).toEqual(entries.map(({ id }) => id).toReversed())
    for (const { id, balance } of rows) expect({ seed, id, balance }).toEqual({ seed, id, balance: balances.get(id) })
  }
})

test('only completed withdrawals count, with their full amount', () => {
  const statuses = ['completed', 'pending', 'processing', 'manual_review', 'failed', 'completed'] as const
  const entries = statuses.map((status, day) => withdrawn(day + 1, '3000.000000000000000001', status))
  expect(sumWithdrawals([distributed(9, '100'), ...entries])).toEqual({
    totalAmount: amountOf('6000.000000000000000002'),
    count: 2,
  })
  expect(sumWithdrawals([distributed(9, '100')])).toEqual({ totalAmount: 0n, count: 0 })
})

/** A random history of up to 60 entries in chronological order: the expected balance of each, and the final one. */
function live(seed: number) {
  const random = randomOf(seed)
  const entries: HistoryEntry[] = []
  const balances = new Map<string, bigint | string | null>()
  let available = 0n
  const length = 1 + Number(random(60n))
  for (let hour = 0; hour < length; hour++) {
    const createdAt = new Date(Date.UTC(2026, 0, 1, hour))
    const id = `entry-${String(hour).padStart(2, '0')}`
    const kind = random(4n)
    if (kind === 0n) {
      entries.push(purchaseEntry(somePurchase({ id, createdAt })))
      balances.set(id, null)
    } else if (kind === 1n && available > 0n) {
      const status = (['pending', 'processing', 'completed', 'manual_review', 'failed'] as const)[Number(random(5n))]!
      const amount = 1n + random(available)
      if (status !== 'failed') available -= amount
      entries.push(withdrawalEntry(someWithdrawal({ id, createdAt, amount, status })))
      const shown = {
        pending: 'Processing',
        processing: 'Processing',
        completed: available,
        manual_review: null,
        failed: 'Withdrawal Failed',
      }
      balances.set(id, shown[status])
    } else {
      // Up to 1,000,000 XCR per day, with all 18 decimals.
      const amount = 1n + random(amountOf('1000000'))
      available += amount
      entries.push(distributionEntry(someDistribution({ id, createdAt, amount })))
      balances.set(id, available)
    }
  }
  return { entries, balances, available }
}

/** Seeded random integers from 0 to below `limit`. */
function randomOf(seed: number) {
  let state = BigInt(seed)
  return (limit: bigint): bigint => {
    let drawn = 0n
    for (let word = 0; word < 3; word++) {
      state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
      drawn = drawn * 2n ** 32n + state / 2n ** 32n
    }
    return drawn % limit
  }
}

const shuffle = <T>(items: readonly T[], random: (limit: bigint) => bigint): T[] =>
  items
    .map((item) => ({ item, key: random(1_000_000n) }))
    .toSorted((a, b) => Number(a.key - b.key))
    .map(({ item }) => item)
