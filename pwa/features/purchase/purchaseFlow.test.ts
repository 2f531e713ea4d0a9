import { expect, test } from 'vitest'
import { amountOf, somePurchase } from '#pwa/testing/answers.ts'
import { someHash } from '#pwa/testing/fakeWallet.ts'
import { describeProgress } from './describeProgress.tsx'
import { advance, idle, type PurchaseEvent, type PurchaseFlow } from './purchaseFlow.ts'

const at = new Date('2026-11-20T07:31:00Z')
const reservation = {
  id: '01936b2a-7c00-7000-8000-000000000101',
  requestedQuantity: 10,
  unitPriceUsdt: amountOf('3'),
  purchaseAmountUsdt: amountOf('30'),
  depositAddress: `0x${'d'.repeat(40)}` as const,
  walletAddress: `0x${'a'.repeat(40)}` as const,
  expiresAt: new Date('2026-11-20T08:01:00Z'),
}
const reserved: PurchaseEvent = { type: 'reserved', reservation, at }
const requested: PurchaseEvent = { type: 'requested', quantity: 10, hasOtp: true }

const after = (...events: PurchaseEvent[]): PurchaseFlow => events.reduce(advance, idle)

test('a purchase goes from the code to the reservation, the payment and its tracking', () => {
  expect(after(requested).at).toBe('otpCheck')
  expect(after(requested, { type: 'otpVerified' })).toEqual({ at: 'reserving', quantity: 10 })
  expect(after(requested, { type: 'otpVerified' }, reserved)).toMatchObject({
    at: 'payment',
    isOpen: true,
    order: { quantity: 10 },
  })

  const sent = after(requested, { type: 'otpVerified' }, reserved, { type: 'sent', orderId: reservation.id, hash: someHash, at })
  expect(sent).toMatchObject({ at: 'tracking', hash: someHash, reachedAt: { reserved: at, sent: at } })
})

test('a step that was done and has failed since has no time', () => {
  const reached = after(requested, { type: 'otpVerified' }, reserved, { type: 'stepReached', step: 'network', at })
  const failed = advance(reached, { type: 'stepFailed', problem: { step: 'network', text: 'Another account.' } })
  const networkOf = (flow: PurchaseFlow) =>
    flow.at === 'payment' && describeProgress(flow, { purchase: undefined, report: undefined })[1]
  expect(networkOf(reached)).toMatchObject({ state: 'done', at })
  expect(networkOf(failed)).toEqual({ name: 'BNB Smart Chain', state: 'failed', detail: 'Another account.' })
})

test('without an authenticator it is set up first, then its code is asked for', () => {
  const setUp = after({ type: 'requested', quantity: 5, hasOtp: false })
  expect(setUp).toEqual({ at: 'otpSetup', quantity: 5 })
  expect(advance(setUp, { type: 'otpEnabled' })).toEqual({ at: 'otpCheck', quantity: 5 })
})

test('a setup dialog that closes after success abandons nothing', () => {
  const asked = after({ type: 'requested', quantity: 5, hasOtp: false }, { type: 'otpEnabled' })
  expect(advance(asked, { type: 'otpAbandoned', stage: 'otpSetup' })).toBe(asked)
})

test('an event that does not apply changes nothing', () => {
  expect(after({ type: 'otpVerified' })).toBe(idle)
  expect(after({ type: 'sent', orderId: reservation.id, hash: someHash, at })).toBe(idle)
  const paying = after(requested, { type: 'otpVerified' }, reserved)
  expect(advance(paying, requested)).toBe(paying)
  expect(advance(paying, { type: 'otpAbandoned', stage: 'otpCheck' })).toBe(paying)
  expect(advance(paying, { type: 'refused' })).toBe(paying)
})

test('leaving a code dialog after an accepted code keeps the reservation', () => {
  const reserving = after(requested, { type: 'otpVerified' })
  expect(advance(reserving, { type: 'otpAbandoned', stage: 'otpCheck' })).toBe(reserving)
  expect(after(requested, { type: 'otpAbandoned', stage: 'otpCheck' })).toBe(idle)
})

test('closing while the wallet is asked continues the payment; closing before that ends it here', () => {
  const paying = after(requested, { type: 'otpVerified' }, reserved)
  expect(advance(paying, { type: 'closed' })).toBe(idle)

  const asked = advance(paying, { type: 'stepStarted', step: 'sent' })
  const closed = advance(asked, { type: 'closed' })
  expect(closed).toMatchObject({ at: 'payment', isOpen: false })
  expect(advance(closed, { type: 'sent', orderId: reservation.id, hash: someHash, at })).toMatchObject({
    at: 'tracking',
    isOpen: false,
    hash: someHash,
  })
  expect(advance(asked, { type: 'released' })).toBe(asked)
})

test("the wallet's refusal stays at its step until the next attempt", () => {
  const paying = after(requested, { type: 'otpVerified' }, reserved, { type: 'stepStarted', step: 'balance' })
  const failed = advance(paying, { type: 'stepFailed', problem: { step: 'balance', text: 'Too little.' } })
  expect(failed).toMatchObject({ running: null, problem: { step: 'balance', text: 'Too little.' } })
  expect(advance(failed, { type: 'stepStarted', step: 'network' })).toMatchObject({ running: 'network', problem: null })
})

test('the answer to another request does not end the wait for the transfer', () => {
  const asked = after(requested, { type: 'otpVerified' }, reserved, { type: 'stepStarted', step: 'sent' })
  expect(advance(asked, { type: 'stepStopped', step: 'network' })).toBe(asked)
  expect(advance(asked, { type: 'stepFailed', problem: { step: 'network', text: 'No.' } })).toBe(asked)
  expect(advance(asked, { type: 'stepStopped', step: 'sent' })).toMatchObject({ running: null })
})

test('a hash belongs to the order that it was asked for', () => {
  const paying = after(requested, { type: 'otpVerified' }, reserved)
  const orderId = '01936b2a-7c00-7000-8000-000000000102'
  expect(advance(paying, { type: 'sent', orderId, hash: someHash, at })).toBe(paying)
  expect(advance(paying, { type: 'claimed', orderId, hash: someHash, at })).toBe(paying)
  const sent = advance(paying, { type: 'claimed', orderId: reservation.id, hash: someHash, at })
  expect(sent).toMatchObject({ at: 'tracking', hash: someHash })
  expect(advance(sent, { type: 'claimed', orderId, hash: `0x${'7'.repeat(64)}`, at })).toBe(sent)
})

test('the purchase that the server lists for the order ends its payment, also while the wallet is asked', () => {
  const asked = after(requested, { type: 'otpVerified' }, reserved, { type: 'stepStarted', step: 'sent' })
  const purchase = somePurchase({ id: reservation.id, transactionHash: someHash })
  expect(advance(asked, { type: 'listed', purchase })).toMatchObject({ at: 'tracking', hash: someHash, order: { quantity: 10 } })
  const another = somePurchase({ id: '01936b2a-7c00-7000-8000-000000000102' })
  expect(advance(asked, { type: 'listed', purchase: another })).toBe(asked)
  expect(advance(idle, { type: 'listed', purchase })).toBe(idle)
})

test('a listed purchase can be shown, but does not replace a payment', () => {
  const purchase = somePurchase({ paymentStatus: 'pending' })
  expect(after({ type: 'trackingRequested', purchase })).toMatchObject({
    at: 'tracking',
    order: { id: purchase.id, quantity: 10 },
  })
  const paying = after(requested, { type: 'otpVerified' }, reserved)
  expect(advance(paying, { type: 'trackingRequested', purchase })).toBe(paying)
})

test('a reservation with another id replaces the order, unless the wallet is being asked to pay that', () => {
  const paying = after(requested, { type: 'otpVerified' }, reserved)
  const another: PurchaseEvent = {
    type: 'reserved',
    reservation: { ...reservation, id: '01936b2a-7c00-7000-8000-000000000102', requestedQuantity: 5 },
    at: null,
  }
  expect(advance(paying, another)).toMatchObject({ at: 'payment', order: { id: another.reservation.id, quantity: 5 } })
  const asked = advance(paying, { type: 'stepStarted', step: 'sent' })
  expect(advance(asked, another)).toMatchObject({ running: 'sent', order: { id: reservation.id, quantity: 10 } })
  expect(advance(paying, reserved)).toEqual(paying)
})
