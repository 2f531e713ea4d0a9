import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { DAY, MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { startHolders } from '#api/testing/holders.ts'
import { readDecisionTimes } from './decisionTimes.ts'

const DUE = '2027-03-02T09:00:00.000Z'
const PAID = '2027-03-02T09:00:07.000Z'
const after = (time: string, milliseconds: number) => new Date(Date.parse(time) + milliseconds).toISOString()

/** A day that was paid with one frozen purchase and one active one. */
async function start() {
  const holders = await startHolders()
  const { orm, at, openHolder, pay } = holders
  const em = orm.em.fork()
  at('2027-03-01T08:00:00Z')
  await openHolder()
  const frozen = await openHolder()
  await sql(em, 'update nodes set frozen_at = $1 where user_id = $2', ['2027-03-01T20:00:00Z', frozen])
  at(PAID)
  await pay()
  const purchases = await sql<{ id: string; frozen: boolean }>(
    em,
    'select purchase_id as id, frozen_at is not null as frozen from nodes',
  )
  const purchaseOf = (isFrozen: boolean) => purchases.find((one) => one.frozen === isFrozen)!.id
  /** The times as published of decisions on one deposit. */
  const timesOf = async (
    decisions: readonly [at: string, what: 'counted' | 'orphaned'][],
    { isFrozen = true, isDemo = false } = {},
  ) => {
    const depositId = randomUUID()
    const rows = []
    for (const [decidedAt, what] of decisions) {
      const [row] = await sql<{ id: number }>(
        em,
        `insert into deposit_decisions (deposit_id, decided_at, transaction_hash, ordinal, sender, amount, block_number, state,
           state_before_orphaned, purchase_id)
         values ($1, $2, '0x', 0, '0x', 1, $3, $4, $5, $6) returning id::int`,
        [
          depositId,
          decidedAt,
          ...(what === 'counted' ? [1, 'matched', null] : [null, 'orphaned', 'matched']),
          purchaseOf(isFrozen),
        ],
      )
      rows.push({ id: row!.id, depositId, decidedAt: new Date(decidedAt) })
    }
    const times = await readDecisionTimes(em, rows, { now: new Date(Date.parse(DUE) + DAY), isDemo })
    return rows.map(({ id }) => times.get(id)!.toISOString())
  }
  return timesOf
}

test('a decision that froze nodes skipped by a day precedes its payment, in the order of the decisions', async () => {
  const timesOf = await start()
  const decisions: Parameters<typeof timesOf>[0] = [
    ['2027-03-01T12:00:00.000Z', 'counted'],
    [after(PAID, 30 * SECOND), 'counted'],
    [after(PAID, MINUTE), 'orphaned'],
    [after(PAID, 2 * MINUTE), 'counted'],
  ]
  const recorded = decisions.map(([at]) => at)
  expect(await timesOf(decisions)).toEqual([recorded[0], PAID, PAID, recorded[3]])
  expect(await timesOf(decisions, { isFrozen: false })).toEqual(recorded)
  const late = after(PAID, 6 * MINUTE)
  expect(await timesOf([[late, 'orphaned']])).toEqual([late])
})

test('a decision that thawed nodes skipped by a day does not precede what readers compare it with', async () => {
  const timesOf = await start()
  const decisions: Parameters<typeof timesOf>[0] = [
    ['2027-03-01T20:00:00.000Z', 'orphaned'],
    [after(DUE, -MINUTE), 'counted'],
    [after(DUE, -30 * SECOND), 'counted'],
  ]
  const recorded = decisions.map(([at]) => at)
  expect(await timesOf(decisions)).toEqual([recorded[0], DUE, DUE])
  expect(await timesOf(decisions, { isDemo: true })).toEqual([recorded[0], PAID, PAID])
  expect(await timesOf(decisions, { isFrozen: false })).toEqual(recorded)
  const early: typeof decisions = [decisions[0]!, [after(DUE, -6 * MINUTE), 'counted']]
  expect(await timesOf(early)).toEqual(early.map(([at]) => at))
})
