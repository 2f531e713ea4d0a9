import { expect, test } from 'vitest'
import type { Address } from 'viem'
import { ONE_TOKEN } from '#shared/amount.ts'
import { DAY, HOUR, SECOND, utcDay } from '#shared/dates.ts'
import { transferCall } from '#api/platform/chain/createPayoutAccount.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { acknowledgeTransfer } from './decideTransfer.ts'

const collector = () => makeAccount().address.toLowerCase() as Address

/** Pays a withdrawal, which earns its fee of 5 XCR. */
async function earnFee(payouts: Payouts): Promise<void> {
  await payouts.open()
  await payouts.tick()
  await payouts.confirm()
}

const sweeps = async (payouts: Payouts) =>
  (await payouts.payouts())
    .filter(({ cause }) => cause.startsWith('sweep:'))
    .map(({ cause, state, amount }) => [cause, state, amount])

/** The current product day, or one `ahead` days later. */
const dayOf = (payouts: Payouts, ahead = 0) => utcDay(new Date(payouts.clock.productNow().getTime() + ahead * DAY))

test('accumulated fees are sent to the fee recipient, once per product day', async () => {
  const payouts = await startPayouts()
  const recipient = collector()
  await earnFee(payouts)
  await earnFee(payouts)
  await payouts.collectFees(recipient)
  const day = dayOf(payouts)

  await payouts.tick()
  expect(await payouts.fees()).toBe('0')
  await earnFee(payouts)
  await payouts.confirm()
  expect(await sweeps(payouts)).toEqual([[`sweep:${day}`, 'paid', '10']])
  expect(await payouts.held(recipient)).toBe('10')
  expect(await payouts.fees()).toBe('5')

  payouts.clock.advanceProduct(DAY)
  await payouts.tick()
  await payouts.confirm()
  expect(await sweeps(payouts)).toEqual([
    [`sweep:${day}`, 'paid', '10'],
    [`sweep:${dayOf(payouts)}`, 'paid', '5'],
  ])
  expect(await payouts.held(recipient)).toBe('15')
  const entries = await sql<{ cause: string; date: string }>(
    payouts.orm.em.fork(),
    `select cause, to_char(date, 'YYYY-MM-DD') as date from ledger_entries where cause like 'sweep%' order by date`,
  )
  expect(entries).toEqual([
    { cause: `sweep:${day}`, date: day },
    { cause: `sweep:${dayOf(payouts)}`, date: dayOf(payouts) },
  ])
})

test.for(['', 'not an address'])('without a valid fee recipient ("%s") the fees stay', async (recipient) => {
  const payouts = await startPayouts()
  await earnFee(payouts)
  await payouts.collectFees(recipient as Address)
  await payouts.tick()
  payouts.clock.advanceProduct(DAY)
  await payouts.tick()
  expect(await sweeps(payouts)).toEqual([])
  expect(await payouts.fees()).toBe('5')
})

test('a day has no sweep until there are fees', async () => {
  const payouts = await startPayouts()
  await payouts.collectFees(collector())
  await payouts.tick()
  expect(await payouts.payouts()).toEqual([])
  await earnFee(payouts)
  await payouts.tick()
  expect(await sweeps(payouts)).toHaveLength(1)
})

test('a sweep goes to the fee recipient at the time it was signed', async () => {
  const payouts = await startPayouts()
  const [first, second] = [collector(), collector()]
  await earnFee(payouts)
  await payouts.collectFees(first)
  await payouts.tick()
  await payouts.collectFees(second)
  payouts.clock.advance(HOUR)
  // The stuck transaction is replaced.
  await payouts.tick()
  await payouts.confirm()
  expect([await payouts.held(first), await payouts.held(second)]).toEqual(['5', '0'])
})

test("a sweep that reverts restores the fees, and the next day's sweep includes them", async () => {
  const payouts = await startPayouts()
  const recipient = collector()
  await earnFee(payouts)
  await payouts.collectFees(recipient)
  const day = dayOf(payouts)
  await payouts.tick()
  const { client, token } = payouts.chain
  const code = await client.getCode({ address: token })
  await client.setCode({ address: token, bytecode: '0x60006000fd' })
  await payouts.chain.mine()
  await client.setCode({ address: token, bytecode: code! })
  await payouts.confirm()

  expect(await sweeps(payouts)).toEqual([[`sweep:${day}`, 'reverted', '5']])
  expect(await payouts.fees()).toBe('5')
  await payouts.tick()
  expect(await sweeps(payouts)).toHaveLength(1)

  payouts.clock.advanceProduct(DAY)
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.held(recipient)).toBe('5')
  expect(await payouts.fees()).toBe('0')
})

test("a sweep reduces the hot wallet's available balance and is limited by it", async () => {
  const payouts = await startPayouts({ xcr: '3000' })
  // 2,995 are paid; the remaining 5 are the fee.
  await earnFee(payouts)
  await payouts.collectFees(collector())
  await payouts.tick()
  expect(await sweeps(payouts)).toHaveLength(1)
  await payouts.open()
  await payouts.tick()
  expect(payouts.alerts).toEqual([expect.stringContaining('0 XCR left')])
})

test('fees that were sent by hand with the nonce of a sweep are left to an operator', async () => {
  const payouts = await startPayouts()
  const recipient = collector()
  await earnFee(payouts)
  await payouts.collectFees(recipient)
  await payouts.tick()
  const { nonce, attempts } = (await payouts.payouts()).at(-1)!
  await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: attempts[0]!.hash })
  const byHand = { account: payouts.key, to: payouts.chain.token, nonce, data: transferCall(recipient, ONE_TOKEN) }
  const hash = await payouts.chain.client.sendTransaction(byHand)
  await payouts.confirm()
  payouts.clock.advance(30 * SECOND)
  await payouts.confirm()
  await payouts.confirm()
  expect((await payouts.wallet()).stoppedBecause).toContain(`Nonce ${nonce}`)
  expect(await payouts.fees()).toBe('5')

  await expect(payouts.reconcile()).rejects.toThrow(`${hash}) has no known cause`)

  const decision = { endpoints: rewardEndpoints(payouts.services.config), hash, reason: 'By hand.', actor: 'operator:test' }
  await acknowledgeTransfer(payouts.services, { ...decision, email: undefined })
  expect((await payouts.reconcile()).at(-1)).toContain('Payouts resume.')
})
