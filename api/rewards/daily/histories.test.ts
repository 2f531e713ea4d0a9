import { expect, test } from 'vitest'
import { formatAmount } from '#shared/amount.ts'
import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { DomainError } from '#api/platform/errors.ts'
import { startHolders } from '#api/testing/holders.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const START = Date.parse('2027-01-30T00:00:00Z')
const DAYS = 40

interface Given {
  user: string
  nodes: number
  activeFrom: number
}

/** Deterministic for a seed, so that a failing history can be reproduced. */
function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { chance: (share: number) => next() < share, below: (limit: number) => Math.floor(next() * limit) }
}

test.for([1, 2, 3, 4, 5, 6])(
  'in history %i every balance equals the sum of its entries and the earnings of its nodes',
  async (seed) => {
    const { chance, below } = createRandom(seed)
    const { orm, clock, openHolder, giveNodes, setRate, pay, balance, differences } = await startHolders()
    clock.set(new Date(START))
    const users = [await openHolder(), await openHolder(), await openHolder()]
    const given: Given[] = users.map((user) => ({ user, nodes: 1, activeFrom: START }))
    const rates = [{ rate: 10n ** 19n, at: START - DAY }]
    const left = new Map<string, bigint>()

    for (let time = START; time < START + DAYS * DAY; time += below(2 * DAY)) {
      clock.set(new Date(time))
      if (chance(0.5)) {
        // Often exactly at 09:00, or one millisecond before or after it.
        const nine = time - (time % DAY) + DAY + 9 * HOUR + below(3) - 1
        const activeFrom = chance(0.5) ? nine : time + below(2 * DAY)
        const user = users[below(users.length)]!
        const nodes = 1 + below(9)
        await giveNodes(user, { nodes, activeFrom: new Date(activeFrom).toISOString(), kind: chance(0.3) ? 'bonus' : 'paid' })
        given.push({ user, nodes, activeFrom })
      }
      if (chance(0.2)) {
        const rate = BigInt(below(1_000)) * 10n ** 18n + BigInt(below(2 ** 31))
        await setRate(formatAmount(rate))
        rates.push({ rate, at: time })
      }
      if (chance(0.3)) {
        const user = await openHolder({ activeFrom: new Date(time + DAY).toISOString() })
        users.push(user)
        given.push({ user, nodes: 1, activeFrom: time + DAY })
      }
      // Sometimes no worker runs for days, and sometimes two do.
      if (chance(0.6)) await Promise.all(chance(0.3) ? [pay(), pay()] : [pay()])
      if (chance(0.3)) await withdraw(users[below(users.length)]!, BigInt(below(2 ** 31)) * 10n ** 10n)
    }
    const end = START + DAYS * DAY + 12 * HOUR + below(MINUTE)
    clock.set(new Date(end))
    await pay()

    for (const user of users) expect(await balance(user), user).toBe(formatAmount(earnedBy(user) - (left.get(user) ?? 0n)))
    expect(await differences()).toEqual([])
    const [sum] = await sql<{ sum: string }>(orm.em.fork(), 'select sum(balance) from accounts')
    expect(sum!.sum).toBe('0')

    async function withdraw(user: string, amount: bigint) {
      if (amount === 0n) return
      try {
        await insertWithdrawal(orm, { userId: user, amount: formatAmount(amount), fee: '0', now: clock.productNow() })
        left.set(user, (left.get(user) ?? 0n) + amount)
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'insufficient_xcr')) throw error
      }
    }

    /** Computes the earnings day by day and node by node from this test's own actions. */
    function earnedBy(user: string): bigint {
      let sum = 0n
      for (let nine = START + 9 * HOUR; nine <= end; nine += DAY) {
        const { rate } = rates.findLast(({ at }) => at <= nine)!
        for (const { user: owner, nodes, activeFrom } of given)
          if (owner === user && activeFrom <= nine) sum += BigInt(nodes) * rate
      }
      return sum
    }
  },
)
