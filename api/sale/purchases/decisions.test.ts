import { expect, test } from 'vitest'
import { type Address, concat, encodeFunctionData, type Hash, type Hex, size, toHex } from 'viem'
import { assignDeposit, refundDeposit } from '#shared/contract/admin/deposits.ts'
import * as contract from '#shared/contract/admin/purchases.ts'
import { releaseReservation } from '#shared/contract/purchases.ts'
import { parseAmount } from '#shared/amount.ts'
import { ApiError } from '#shared/contract/client.ts'
import type { Objection } from '#shared/objections.ts'
import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { sql } from '#api/platform/db/sql.ts'
import { formatTime } from '#api/platform/mail/formatTime.ts'
import { batchSender } from '#api/dev/contracts/generated/batchSender.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { approve, type BackOffice, manualConfirm, named, outcomes, startBackOffice } from '#api/testing/backOffice.ts'
import { approve as approveProposal, proposalOf } from '#api/testing/proposals.ts'
import { deployBatchSender } from '#api/testing/batchSender.ts'
import { makeAccount, USDT_ADDRESS } from '#api/testing/chains.ts'
import { approvePurchase, weighApproval } from './approvePurchase.ts'
import { lockOpenPurchase } from './decidePurchase.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { lieAboutAmount } from '#api/testing/lyingRpc.ts'
import { mailsTo } from '#api/testing/mails.ts'

const closed = { status: 409, code: 'purchase_closed' }

const cancel = ({ call }: Pick<BackOffice, 'call'>, id: string, reason = 'Requested by the buyer.') =>
  call(contract.cancelPurchase, { params: { id }, body: { reason } })
const reject = ({ call }: Pick<BackOffice, 'call'>, id: string, notes?: string) =>
  call(contract.rejectPurchase, { params: { id }, body: notes ? { notes } : {} })

test('approving an unpaid purchase allocates its nodes, and its later payment allocates none', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 3, '9')
  const approvedAt = office.server.clock.productNow()

  const answer = await approve(office.one.browser, id)
  expect(answer).toMatchObject({ message: 'The purchase is confirmed.' })
  expect(answer.purchase).toMatchObject({ id, paymentStatus: 'confirmed', finalQuantity: 3, nodeNumbers: [1, 2, 3] })
  expect(await office.supply()).toMatchObject({ paid: 3, reserved: 0 })
  const nodes = await sql<{ active_from: string }>(office.server.services.orm.em.fork(), 'select active_from from nodes')
  expect(nodes.map((node) => new Date(node.active_from).getTime())).toEqual(Array(3).fill(approvedAt.getTime() + DAY))
  expect((await mailsTo(office.database, buyer.user.email)).map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^Your purchase of 3 nodes is confirmed\.[^]+9 USDT is still owed\.[^]+don't pay again[^]+\nNodes: 1–3\nStill owed: 9 USDT\nPurchase: /,
    ),
  ])
  const [entry] = await office.log('purchase.')
  expect(entry).toMatchObject({
    actor: `admin:${office.one.username}`,
    action: 'purchase.approve',
    target: `purchase:${id}`,
    before: { status: 'pending', owedDeposit: false },
    after: { status: 'confirmed', owedDeposit: true, finalQuantity: 3 },
  })

  const hash = await office.pay(buyer.wallet, '9')
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId: id }])
  expect(await office.supply()).toMatchObject({ paid: 3 })
  expect(await office.purchases(buyer)).toMatchObject([{ transactionHash: hash, payment: { received: parseAmount('9') } }])
  const [told, ...before] = await mailsTo(office.database, buyer.user.email)
  expect(before).toHaveLength(1)
  expect(told).toMatchObject({
    subject: 'Your payment of 9 USDT is confirmed',
    text: expect.stringMatching(
      new RegExp(
        `^It pays for your purchase of 3 nodes, which was confirmed before\\.\n\nTransaction: ${hash}\nPurchase: ${id}\n`,
      ),
    ),
  })

  // The purchase is no longer owed a payment: another payment of the same amount is a new purchase.
  await office.pay(buyer.wallet, '9')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 6 })
})

test('a purchase is decided once: second decisions are refused, and a repeated request gets the same response', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 1, '3')

  const overridden = [{ code: 'received_less', facts: { received: '0', due: '3' } }]
  const send = () => office.call(contract.approvePurchase, { params: { id }, body: { overridden } }, { idempotencyKey: 'key-1' })
  const first = await send()
  expect(await send()).toEqual(first)
  for (const again of [
    () => approve(office.one.browser, id),
    () => approve(office.other.browser, id),
    () => reject(office, id),
    () => cancel(office, id),
    () => manualConfirm(office.one.browser, id, `0x${'1'.repeat(64)}`),
  ])
    await expect(again()).rejects.toMatchObject({ ...closed, details: { status: 'confirmed' } })
  expect(await office.log('purchase.')).toHaveLength(1)

  const cancelled = await office.openPurchase(buyer, 1, '3')
  await cancel(office, cancelled.id)
  for (const again of [
    () => cancel(office, cancelled.id),
    () => reject(office, cancelled.id),
    () => approve(office.other.browser, cancelled.id),
  ])
    await expect(again()).rejects.toMatchObject(closed)
  await expect(approve(office.one.browser, crypto.randomUUID())).rejects.toMatchObject({ status: 404, code: 'not_found' })

  // A reservation cannot be decided on.
  const reserved = await office.reserve(buyer, 2)
  await expect(approve(office.one.browser, reserved.id)).rejects.toMatchObject(closed)
})

test('approving an underpaid purchase matches its deposit, and no further payment is owed', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '5.5')
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ state: 'review', reason: 'underpaid' }])

  const { purchase } = await approve(office.one.browser, id)
  expect(purchase).toMatchObject({
    paymentStatus: 'confirmed',
    purchaseResult: 'normal',
    transactionHash: hash,
    nodeNumbers: [1, 2],
  })
  expect(await office.deposits()).toMatchObject([{ state: 'matched', reason: null, purchaseId: id }])
  expect((await mailsTo(office.database, buyer.user.email))[0]!.text).toMatch(
    /5\.5 of 6 USDT was paid, and nothing more is due\.\n\nNodes: 1–2\nAmount paid: 5\.5 USDT\n/,
  )

  await office.pay(buyer.wallet, '6')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 4 })
})

test('the 24 hours of a purchase approved with two parts start when the second one was first seen', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '3')
  await office.confirm()
  office.server.clock.advance(HOUR)
  const transactionHash = await office.pay(buyer.wallet, '2')
  await office.confirm()
  const seenAt = office.server.clock.productNow()
  office.server.clock.advance(HOUR)

  await approve(office.one.browser, id)

  expect((await office.deposits()).map(({ state }) => state)).toEqual(['matched', 'matched'])
  expect(await office.purchases(buyer)).toMatchObject([{ transactionHash }])
  const nodes = await sql<{ active_from: string }>(office.server.services.orm.em.fork(), 'select active_from from nodes')
  expect(nodes.map((node) => new Date(node.active_from).getTime())).toEqual(Array(2).fill(seenAt.getTime() + DAY))
})

test('the payment of an approved purchase in several parts buys nothing else', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 4, '12')
  await approve(office.one.browser, purchaseId)

  for (const usdt of ['6', '3']) {
    await office.pay(buyer.wallet, usdt)
    await office.confirm()
  }
  const part = { state: 'review', reason: 'underpaid', purchaseId }
  expect(await office.deposits()).toMatchObject([part, part])
  await office.pay(buyer.wallet, '3')
  await office.confirm()

  const paid = { state: 'matched', purchaseId }
  expect(await office.deposits()).toMatchObject([paid, paid, paid])
  expect((await mailsTo(office.database, buyer.user.email))[0]!.subject).toBe('Your payment of 12 USDT is confirmed')
  expect(await office.supply()).toMatchObject({ paid: 4 })
  await office.pay(buyer.wallet, '3')
  await office.confirm()
  expect(await office.supply(), 'a further payment').toMatchObject({ paid: 5 })
})

test('the last part of what an approved purchase is owed counts, however small', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 4, '12')
  await approve(office.one.browser, purchaseId)

  for (const usdt of ['11.8', '0.2']) {
    await office.pay(buyer.wallet, usdt)
    await office.confirm()
  }

  const paid = { state: 'matched', purchaseId }
  expect(await office.deposits()).toMatchObject([paid, paid])
})

test('who pays a part of what is owed is asked for the exact rest, unless that would pay for something else', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 4, '12')
  const em = office.server.services.orm.em.fork()
  const { openedAt } = await em.findOneOrFail(Purchase, id)
  await approve(office.one.browser, id)
  const newest = async () => (await mailsTo(office.database, buyer.user.email))[0]!
  const until = formatTime.en.minute(new Date(openedAt.getTime() + 30 * DAY))

  await office.pay(buyer.wallet, '5')
  await office.confirm()
  expect((await newest()).text).toContain(
    `Send exactly the missing 7 USDT from the same wallet by ${until}, before you start another purchase, and yours is paid.`,
  )
  // The missing 3 USDT would be late for this one.
  await office.reserve(buyer, 1)
  await buyer.browser.call(releaseReservation, {})
  await office.pay(buyer.wallet, '4')
  await office.confirm()
  expect(await newest()).toMatchObject({
    subject: 'Your payment of 4 USDT waits for our team',
    text: expect.stringContaining("please don't pay again."),
  })
  await office.pay(buyer.wallet, '0.5')
  await office.confirm()
  expect((await newest()).text).toContain('Send exactly the missing 2.5 USDT')
  await office.pay(buyer.wallet, '2.5')
  await office.confirm()
  expect(await newest()).toMatchObject({ subject: 'Your payment of 12 USDT is confirmed' })
})

test('an approved purchase whose payment vanished and was sent again names the one that paid', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 3 })
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '6')
  await office.chain.mine()
  await office.watch()
  await approve(office.one.browser, id)
  await office.chain.reorganize(1)
  await office.chain.mine(2)
  await office.watch()
  expect(await office.deposits()).toMatchObject([{ state: 'seen', purchaseId: id, blockNumber: null }])

  office.server.clock.advance(MINUTE)
  const hash = await office.pay(buyer.wallet, '6')
  await office.chain.mine()
  await office.confirm()

  expect(await office.deposits()).toMatchObject([{ state: 'seen' }, { state: 'matched', purchaseId: id }])
  expect(await office.purchases(buyer)).toMatchObject([{ transactionHash: hash, finalQuantity: 2 }])
})

test('the payment under way of an approved purchase is matched to it and allocates nothing else', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '6')
  await office.watch()

  await approve(office.one.browser, id)
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId: id }])
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('approving a purchase does not match a deposit whose block is not final', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '6')
  await office.watch()

  const { purchase } = await approve(office.one.browser, id)

  expect(purchase).toMatchObject({ paymentStatus: 'confirmed', nodeNumbers: [1, 2] })
  expect(await office.deposits()).toMatchObject([{ state: 'seen', purchaseId: id }])
})

test('a purchase is not approved while a further payment is not final, which would buy nodes again', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 10, '30')
  await office.pay(buyer.wallet, '9')
  await office.confirm()
  await office.pay(buyer.wallet, '21')
  await office.watch()

  await expect(approve(office.one.browser, id)).rejects.toMatchObject({ status: 409, code: 'request_in_progress' })
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed' }])
  expect(await office.supply()).toMatchObject({ paid: 10 })
})

test('a partly paid purchase is not approved while a payment of its whole amount is not final', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 10, '30')
  await office.pay(buyer.wallet, '9')
  await office.confirm()
  await office.pay(buyer.wallet, '30')
  await office.watch()

  await expect(approve(office.one.browser, id)).rejects.toMatchObject({ status: 409, code: 'request_in_progress' })
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ reason: 'overpaid' }, { reason: 'overpaid' }])
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('an unpaid purchase is not approved while two payments for it are not final, one of which would buy nodes again', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 10, '30')
  await office.pay(buyer.wallet, '9')
  await office.pay(buyer.wallet, '21')
  await office.watch()

  await expect(approve(office.one.browser, id)).rejects.toMatchObject({ status: 409, code: 'request_in_progress' })
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed' }])
  expect(await office.supply()).toMatchObject({ paid: 10 })
})

test.for(['3', '33'])(
  'an unpaid purchase of 30 USDT is not approved while a payment of %s is not final, which would count as its whole payment',
  async (usdt) => {
    const office = await startBackOffice()
    const buyer = await office.openBuyer()
    const { id } = await office.openPurchase(buyer, 10, '30')
    await office.pay(buyer.wallet, usdt)
    await office.watch()

    await expect(approve(office.one.browser, id)).rejects.toMatchObject({ status: 409, code: 'request_in_progress' })
    // Until an administrator has seen what arrived and decides on it, further payments belong to the purchase.
    await office.confirm()
    expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'amount_mismatch' }])
    expect(await office.supply()).toMatchObject({ paid: 0 })
  },
)

test('a purchase is not confirmed by another transaction while its own payment is not final, which would buy nodes again', async () => {
  const office = await startBackOffice()
  const [buyer, stranger] = [await office.openBuyer(), await office.openStranger()]
  const { id } = await office.openPurchase(buyer, 10, '30')
  const hash = await office.pay(stranger, '30')
  await office.pay(buyer.wallet, '9')
  await office.confirm()
  const rest = await office.pay(buyer.wallet, '21')
  await office.watch()

  const named = manualConfirm(office.one.browser, id, hash, { override: true, notes: 'Paid from the exchange.' })
  await expect(named).rejects.toMatchObject({ status: 409, code: 'request_in_progress' })
  await manualConfirm(office.one.browser, id, rest, { override: true, notes: 'The first part was refunded.' })
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 10 })
})

test('a payment that was read as another transfer of its transaction confirms nothing by hand', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '6')
  await office.watch()
  // As if an earlier transfer of the transaction had been left out by the endpoint.
  await sql(office.server.services.orm.em.fork(), 'update deposits set ordinal = ordinal + 1')

  await expect(manualConfirm(office.one.browser, id, hash)).rejects.toMatchObject({
    code: 'transaction_foreign',
    message: expect.stringContaining('does not show this deposit as recorded'),
  })
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('nodes are allocated up to the last one and never beyond the supply', async () => {
  const office = await startBackOffice({ supply: 5 })
  const [buyer, late] = [await office.openBuyer(), await office.openBuyer()]
  const { id } = await office.openPurchase(buyer, 3, '9')
  await sql(office.server.services.orm.em.fork(), 'update purchases set held_quantity = 0 where id = $1', [id])
  await sql(office.server.services.orm.em.fork(), 'update supply set reserved = 0')
  const other = await office.openPurchase(late, 3, '9')

  await expect(approve(office.one.browser, id)).rejects.toMatchObject({
    code: 'insufficient_supply',
    details: { remaining: '2' },
  })
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'pending', purchaseResult: 'normal', adminNotes: null }])
  expect(await office.log('purchase.')).toEqual([])

  await cancel(office, other.id)
  await approve(office.one.browser, id)
  await expect(office.call(contract.approvePurchase, { params: { id: other.id }, body: {} })).rejects.toMatchObject(closed)
  const last = await office.openPurchase(late, 2, '6')
  await approve(office.other.browser, last.id)
  expect(await office.supply()).toMatchObject({ paid: 5, reserved: 0 })
})

test('a rejected purchase fails and releases its supply, and its deposit stays in review', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '7')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ reserved: 2 })

  const { purchase } = await reject(office, id, 'The wallet is not hers.')
  expect(purchase).toMatchObject({ paymentStatus: 'failed', finalQuantity: null, adminNotes: 'The wallet is not hers.' })
  expect(await office.supply()).toMatchObject({ paid: 0, reserved: 0 })
  expect(await office.deposits()).toMatchObject([{ state: 'review', reason: 'overpaid' }])
  const [mail] = await mailsTo(office.database, buyer.user.email)
  expect(mail).toMatchObject({
    subject: 'Your purchase of 2 nodes was rejected',
    text: expect.stringContaining('The wallet is not hers.'),
  })
  expect((await office.log('purchase.'))[0]).toMatchObject({ before: { status: 'manual_review' }, after: { status: 'failed' } })
})

test('purchase mails are in the user’s language, with the administrator’s reason as typed', async () => {
  const office = await startBackOffice()
  const [korean, english] = [await office.openBuyer(), await office.openBuyer()]
  const { em } = office.server.services.orm
  await sql(em.fork(), `update users set language = 'ko' where id = $1`, [korean.user.id])
  const [first, second] = [await office.openPurchase(korean, 2, '6'), await office.openPurchase(english, 1, '3')]
  await approve(office.one.browser, first.id)
  await approve(office.one.browser, second.id)
  expect((await mailsTo(office.database, korean.user.email))[0]).toMatchObject({
    subject: '구매가 확인되어 노드 2개가 배정되었습니다',
    text: expect.stringMatching(
      /^노드 2개 구매가 확인되었습니다\.\n\n\d{4}년 \d\d?월 \d\d?일 \d\d:\d\d UTC부터 보상을 받으며, XCR은 매일 09:00 UTC에 지급됩니다\.\n\n[^\n]+ 6 USDT가 미납 상태입니다\.[^\n]+\n\n노드: 1–2\n미납 금액: 6 USDT\n구매 번호: /,
    ),
  })
  expect((await mailsTo(office.database, english.user.email))[0]).toMatchObject({
    subject: '1 node is yours: your purchase is confirmed',
    text: expect.stringMatching(
      /^Your purchase of 1 node is confirmed\.\n\nIt earns from \d\d \w{3,4} \d{4}, \d\d:\d\d UTC\. XCR is paid daily at 09:00 UTC\.\n\n[^\n]+ 3 USDT is still owed\.[^\n]+\n\nNodes: 3\nStill owed: 3 USDT\nPurchase: /,
    ),
  })

  await cancel(office, (await office.openPurchase(korean, 1, '3')).id, "If this wasn't you, contact us immediately.")
  expect((await mailsTo(office.database, korean.user.email))[0]).toMatchObject({
    subject: '노드 1개 구매가 취소되었습니다',
    text: expect.stringContaining("\n사유: If this wasn't you, contact us immediately.\n"),
  })
})

test('a cancelled purchase releases its supply, and a later payment goes to review', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  expect(await office.send(`/api/admin/purchase/${id}/cancel`, { reason: '   ' })).toBe(400)

  const { purchase } = await cancel(office, id)
  expect(purchase).toMatchObject({ paymentStatus: 'cancelled', adminNotes: 'Requested by the buyer.' })
  expect(await office.supply()).toMatchObject({ reserved: 0 })
  expect((await mailsTo(office.database, buyer.user.email))[0]).toMatchObject({
    subject: 'Your purchase of 2 nodes was cancelled',
  })

  await office.pay(buyer.wallet, '6')
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ state: 'review', reason: 'late', purchaseId: id }])
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('a purchase that is cancelled again after its payment arrived late tells its buyer again', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await cancel(office, id)
  office.server.clock.advance(MINUTE)
  await office.pay(buyer.wallet, '6')
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'late_payment' }])

  await cancel(office, id)
  const mails = await mailsTo(office.database, buyer.user.email)
  expect(mails.filter(({ subject }) => subject === 'Your purchase of 2 nodes was cancelled')).toMatchObject([
    { text: expect.stringContaining('Your payment has arrived. We will refund it or get in touch with you.') },
    { text: expect.stringContaining('No payment for it has arrived.') },
  ])
})

test('a transaction named before the watcher reads it is attached later and allocates nothing, even if it fits another request', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '6')

  const { purchase } = await manualConfirm(office.one.browser, id, hash)
  expect(purchase).toMatchObject({ paymentStatus: 'confirmed', transactionHash: hash, nodeNumbers: [1, 2] })
  expect(purchase).not.toHaveProperty('confirmedAgainstChain')
  office.server.clock.advance(1)
  const again = await office.openPurchase(buyer, 2, '6')
  await office.watch()
  const nameAgain = () => manualConfirm(office.one.browser, again.id, hash, { override: true, notes: 'Again.' })
  const used = { status: 409, code: 'transaction_used' }
  await expect(nameAgain(), 'read, but not attached yet').rejects.toMatchObject(used)
  await office.confirm()

  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId: id }])
  expect(await office.purchases(buyer)).toMatchObject([
    { id: again.id, paymentStatus: 'pending' },
    { paymentStatus: 'confirmed' },
  ])
  expect(await office.supply()).toMatchObject({ paid: 2, reserved: 2 })
  await expect(nameAgain()).rejects.toMatchObject(used)
})

test('a buyer whose named transaction turns out to pay less is told that nothing more is due', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '5')
  await manualConfirm(office.one.browser, id, hash, { override: true, notes: 'Close enough.' })
  await office.confirm()
  const [told, confirmed] = await mailsTo(office.database, buyer.user.email)
  expect(confirmed!.text).toContain('Still owed: 6 USDT')
  expect(told).toMatchObject({
    subject: 'Your payment of 5 USDT is confirmed',
    text: expect.stringContaining('5 of 6 USDT was paid, and nothing more is due.'),
  })
})

test('of the transfers of a named transaction, the one of the purchase’s amount pays, and the others are left', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.sendBackAtOnce([
    [office.depositAddress, '3'],
    [office.depositAddress, '6'],
  ])
  await manualConfirm(office.one.browser, id, hash, { override: true, notes: 'Paid by an exchange.' })

  await office.confirm()

  const deposits = await sql(office.server.services.orm.em.fork(), 'select state, purchase_id from deposits order by ordinal')
  expect(deposits).toEqual([
    { state: 'review', purchase_id: null },
    { state: 'matched', purchase_id: id },
  ])
})

test('a named hash without a deposit confirms one purchase only, even of two at once', async () => {
  const office = await startBackOffice()
  const [buyer, friend] = [await office.openBuyer(), await office.openBuyer()]
  const [first, second] = [await office.openPurchase(buyer, 1, '3'), await office.openPurchase(friend, 1, '3')]
  const hash = `0x${'ab'.repeat(32)}` as const
  const override = { override: true, notes: 'Seen in the wallet.' }

  const { done, refused } = await outcomes([
    manualConfirm(office.one.browser, first.id, hash, override),
    manualConfirm(office.other.browser, second.id, hash, override),
  ])
  expect({ done, refused }).toEqual({ done: 1, refused: ['transaction_used'] })
  expect(await office.supply()).toMatchObject({ paid: 1, reserved: 1 })
  const file = await office.one.browser.fetch(`${office.server.url}${contract.downloadPurchases.path}?format=csv`)
  expect((await file.text()).match(/,against_the_chain,/g), 'the file names what was confirmed against the chain').toHaveLength(1)
})

/** An account has entered a wallet and opened a purchase of two nodes. The wallet's owner, who has no account yet, pays for it. */
async function ownersPayment({ usdt, isRead = false }: { usdt: string; isRead?: boolean }) {
  const office = await startBackOffice()
  const other = await office.openBuyer({ proven: false })
  const { id } = await office.openPurchase(other, 2, '6')
  const hash = await office.pay(other.wallet, usdt)
  if (isRead) await office.confirm()
  await office.chain.mine(office.confirmations)
  await sql(office.server.services.orm.em.fork(), 'update users set wallet_address = null')
  await office.openBuyer({ wallet: other.wallet })
  return { office, id, hash, buyer: other }
}
const ofAnother = { code: 'transaction_foreign', message: expect.stringContaining('Another account has proven') }

test.for([
  ['its amount', '6', false],
  ['less', '5', false],
  ['less, which waits for review', '5', true],
] as const)(
  'a payment of %s from a wallet that only another account has proven confirms a purchase by hand only if overridden',
  async ([, usdt, isRead]) => {
    const { office, id, hash } = await ownersPayment({ usdt, isRead })
    await expect(manualConfirm(office.one.browser, id, hash)).rejects.toMatchObject(ofAnother)
    const { purchase } = await manualConfirm(office.one.browser, id, hash, { override: true, notes: 'One person.' })
    expect(purchase).toMatchObject({ paymentStatus: 'confirmed', confirmedAgainstChain: true })
  },
)

/** The objections with which a decision is refused. */
const objectionsTo = async (decision: Promise<unknown>) => {
  const error = await decision.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 409 })
  return named(error as ApiError)
}

const confirmNaming = (office: BackOffice, id: string, transactionHash: Hash, overridden: Objection[]) =>
  office.call(contract.manualConfirmPurchase, {
    params: { id },
    body: { transactionHash, overridden, override: true, notes: 'One person.' },
  })

test('who confirms alone overrides only the objections that were shown, all of them, with their facts', async () => {
  const office = await startBackOffice()
  const other = await office.openBuyer({ proven: false })
  const { id } = await office.openPurchase(other, 2, '6')
  const hash = await office.pay(other.wallet, '5')
  await office.chain.mine(office.confirmations)
  const amount = { code: 'amount_differs', facts: { received: '5', price: '6' } }
  expect(await objectionsTo(manualConfirm(office.one.browser, id, hash))).toEqual([amount])

  await sql(office.server.services.orm.em.fork(), 'update users set wallet_address = null')
  const prover = await office.openBuyer({ wallet: other.wallet })
  const wallet = other.wallet.address.toLowerCase()
  const owner = { code: 'wallet_of_another', facts: { wallet, account: prover.user.email } }
  for (const named of [[], [amount], [owner], [owner, { ...amount, facts: { received: '4', price: '6' } }]])
    expect(await objectionsTo(confirmNaming(office, id, hash, named))).toEqual([amount, owner])
  expect(await office.supply()).toMatchObject({ paid: 0 })
  expect(await office.log('purchase.')).toEqual([])

  const { purchase } = await confirmNaming(office, id, hash, [owner, amount])
  expect(purchase).toMatchObject({ paymentStatus: 'confirmed', confirmedAgainstChain: true })
  const [entry] = await office.log('purchase.')
  expect((entry!.before as { overridden: string }).overridden.split('\n')).toEqual([
    'This transaction transfers 5 USDT, but the purchase costs 6 USDT.',
    expect.stringMatching(`^Another account has proven .*: ${prover.user.email}\\.`),
  ])
})

test('whose wallet has sent a transaction is named also if the chain does not show it as it was read, or no more', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 3 })
  const [buyer, owner] = [await office.openBuyer(), await office.openBuyer()]
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(owner.wallet, '7')
  await office.chain.mine()
  await office.watch()
  const ofOwner = { code: 'wallet_of_another', facts: { account: owner.user.email } }
  const move = (by: number) => sql(office.server.services.orm.em.fork(), 'update deposits set ordinal = ordinal + $1', [by])

  await move(1)
  const unlike = await objectionsTo(manualConfirm(office.one.browser, id, hash))
  expect(unlike).toMatchObject([{ code: 'transaction_unlike_deposit' }, ofOwner])
  await move(-1)
  await office.chain.reorganize(1)
  await office.chain.mine()
  await office.watch()
  const missing = await objectionsTo(manualConfirm(office.one.browser, id, hash))
  expect(missing).toMatchObject([{ code: 'transaction_not_found' }, ofOwner])
})

test('a payment that another account reported is used for a purchase or an account only by who was shown that', async () => {
  const office = await startBackOffice()
  const exchange = await office.openStranger()
  const [reporter, thief] = [await office.openBuyer(), await office.openBuyer({ wallet: exchange, proven: false })]
  const hash = await office.pay(exchange, '6')
  await reporter.grantMark()
  const reported = await office.post(reporter, { quantity: 2, usdt: '6', hash })
  const { id } = await office.openPurchase(thief, 2, '6')
  const objection = { code: 'reported_by_another', facts: { account: reporter.user.email } }
  expect(await objectionsTo(manualConfirm(office.one.browser, id, hash)), 'before it is read').toEqual([objection])
  await sql(
    office.server.services.orm.em.fork(),
    `update purchases set opened_at = opened_at + interval '1 minute' where id = $1`,
    [id],
  )
  await office.confirm()
  expect(await objectionsTo(manualConfirm(office.one.browser, id, hash))).toEqual([objection])
  const params = { id: await office.depositOf(hash) }
  const assign = (to: { purchaseId: string } | { userEmail: string; quantity: number }) =>
    office.call(assignDeposit, { params, body: { ...to, note: 'By mail.', overridden: [] } })
  expect(await objectionsTo(assign({ purchaseId: id }))).toEqual([objection])
  expect(await objectionsTo(assign({ userEmail: thief.user.email, quantity: 2 }))).toEqual([objection])

  await assign({ purchaseId: reported.id })
  expect(await office.deposits()).toMatchObject([{ state: 'assigned', purchaseId: reported.id }])

  // Who has proven the wallet has the payment, whoever reports it.
  const owner = await office.openBuyer()
  const own = await office.pay(owner.wallet, '7')
  await reporter.grantMark()
  await office.post(reporter, { quantity: 1, usdt: '3', hash: own })
  await office.confirm()
  params.id = await office.depositOf(own)
  await assign({ userEmail: owner.user.email, quantity: 2 })
})

test('a transaction that is not mined yet, and that another account has reported, is confirmed only by who was shown that', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const [buyer, thief] = [await office.openBuyer(), await office.openBuyer()]
  const hash = await office.pay(buyer.wallet, '6')
  await office.reserve(buyer, 2)
  const reported = await office.post(buyer, { quantity: 2, usdt: '6', hash })
  const { id } = await office.openPurchase(thief, 2, '6')

  const objections = [
    { code: 'transaction_not_found', facts: {} },
    { code: 'reported_by_another', facts: { account: buyer.user.email } },
  ]
  expect(await objectionsTo(manualConfirm(office.one.browser, id, hash))).toEqual(objections)
  await cancel(office, reported.id)
  expect(await objectionsTo(manualConfirm(office.one.browser, id, hash)), 'once it is closed').toEqual(objections)
})

test('a payment that very many accounts have reported is used nevertheless by who was shown the first ones', async () => {
  const office = await startBackOffice()
  const exchange = await office.openStranger()
  const buyer = await office.openBuyer()
  const hash = await office.pay(exchange, '6')
  await buyer.grantMark()
  const { id } = await office.post(buyer, { quantity: 2, usdt: '6', hash })
  const em = office.database.superuser.em.fork()
  const copies = (table: string, changes: string, where: string) =>
    `insert into ${table} select c.* from ${table} r, generate_series(1, 60) i,
       jsonb_populate_record(r, jsonb_build_object(${changes})) c where ${where}`
  const userId = `md5(i::text)::uuid`
  await sql(em, copies('users', `'id', ${userId}, 'email', i || '@example.com', 'wallet_address', null`, 'r.id = $1'), [
    buyer.user.id,
  ])
  await sql(em, copies('purchases', `'id', gen_random_uuid(), 'user_id', ${userId}, 'held_quantity', 0`, 'r.id = $1'), [id])
  // Opened before that of the buyer, who waits.
  await sql(
    em,
    `update purchases set status = 'cancelled', closed_at = now(), opened_at = opened_at - interval '1 hour' where id <> $1`,
    [id],
  )
  const thief = await office.openBuyer()
  const stolen = await office.openPurchase(thief, 2, '6')
  const found = await objectionsTo(manualConfirm(office.one.browser, stolen.id, hash))
  expect(found).toContainEqual({ code: 'reported_by_another', facts: { account: buyer.user.email } })
  await office.confirm()

  const { purchase } = await manualConfirm(office.one.browser, id, hash, { override: true, notes: 'Hers.' })
  expect(purchase).toMatchObject({ paymentStatus: 'confirmed' })
})

test('a transaction that is not on the chain is refused for the wallet of another account, too', async () => {
  const { office, id } = await ownersPayment({ usdt: '5' })
  const missing = await objectionsTo(manualConfirm(office.one.browser, id, `0x${'7'.repeat(64)}`))
  expect(missing.map(({ code }) => code)).toEqual(['transaction_not_found', 'wallet_of_another'])
})

test('who names no objections overrides what holds: approving always, confirming with `override` and a note', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '5')
  const body = { transactionHash: hash, override: true, notes: 'Close enough.' }
  const { purchase } = await office.call(contract.manualConfirmPurchase, { params: { id }, body })
  expect(purchase).toMatchObject({ paymentStatus: 'confirmed', confirmedAgainstChain: true })
  const unpaid = await office.openPurchase(buyer, 1, '3')
  await office.call(contract.approvePurchase, { params: { id: unpaid.id }, body: { notes: 'A gift.' } })
  expect(await office.log('purchase.')).toMatchObject([
    { before: { overridden: expect.stringContaining('transfers 5 USDT') } },
    { before: { overridden: expect.stringContaining('Final payments of 0 USDT') } },
  ])
})

test('what comes up once a decision was found to need one person refuses it, even if nothing is named', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await cancel(office, id)
  await office.pay(buyer.wallet, '6')
  await office.confirm()
  const { services } = office.server
  const decided = services.orm.em.fork().transactional(async (em) => {
    const open = await lockOpenPurchase(em, { id })
    expect((await weighApproval(em, open)).objections).toEqual([])
    await sql(services.orm.em.fork(), `update users set wallet_address = null`)
    office.server.clock.advance(MINUTE)
    await office.openBuyer({ wallet: buyer.wallet })
    await approvePurchase(em, services, open, { isPlain: true })
  })
  await expect(decided).rejects.toMatchObject({
    code: 'objections_hold',
    objections: [expect.objectContaining({ code: 'wallet_last_of_another' })],
  })
})

test('a purchase is approved only with what was shown as received: not once that was refunded, nor with more', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await cancel(office, id)
  const hash = await office.pay(buyer.wallet, '6')
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([
    { paymentStatus: 'manual_review', payment: { received: parseAmount('6') } },
  ])
  const send = (overridden: Objection[] = []) => office.call(contract.approvePurchase, { params: { id }, body: { overridden } })

  // Of two administrators one sends it back, and the other still sees it as paid.
  const transactionHash = await office.sendBack(buyer.wallet.address, '6')
  const params = { id: await office.depositOf(hash) }
  await office.other.browser.call(refundDeposit, { params, body: { transactionHash, note: 'Sent back.' } })
  const unpaid = { code: 'received_less', facts: { received: '0', due: '6' } }
  expect(await objectionsTo(send())).toEqual([unpaid])

  await office.pay(buyer.wallet, '5')
  await office.confirm()
  expect(await objectionsTo(send([unpaid]))).toEqual([{ code: 'received_less', facts: { received: '5', due: '6' } }])
  await office.pay(buyer.wallet, '4')
  await office.confirm()
  const tooMuch = { code: 'received_more', facts: { received: '9', due: '6' } }
  expect(await objectionsTo(send())).toEqual([tooMuch])
  expect(await office.supply()).toMatchObject({ paid: 0 })
  await send([tooMuch])
  expect((await office.log('purchase.approve'))[0]).toMatchObject({ before: { overridden: expect.stringContaining('9 USDT') } })
})

test('an unpaid purchase with a wallet that another account has proven is approved only by who was shown that', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer({ proven: false })
  const { id } = await office.openPurchase(buyer, 2, '6')
  await sql(office.server.services.orm.em.fork(), 'update users set wallet_address = null')
  const owner = await office.openBuyer({ wallet: buyer.wallet })
  const send = (overridden: Objection[]) =>
    office.call(contract.approvePurchase, { params: { id }, body: { overridden, notes: 'Paid in cash.' } })
  const unpaid = { code: 'received_less', facts: { received: '0', due: '6' } }
  const wallet = buyer.wallet.address.toLowerCase()
  const ofOwner = { code: 'wallet_of_another', facts: { wallet, account: owner.user.email } }
  expect(await objectionsTo(send([unpaid]))).toEqual([unpaid, ofOwner])
  expect(await send([unpaid, ofOwner])).toMatchObject({ purchase: { paymentStatus: 'confirmed' } })
})

test('who approves an override is shown the objection, and approves no other one that came up since', async () => {
  const office = await startBackOffice()
  await sql(office.server.services.orm.em.fork(), `update administrators set role = 'owner' where id = $1`, [office.other.id])
  const other = await office.openBuyer({ proven: false })
  const { id } = await office.openPurchase(other, 2, '6')
  const hash = await office.pay(other.wallet, '5')
  await office.chain.mine(office.confirmations)
  const propose = () =>
    proposalOf(office.other.browser, manualConfirm(office.other.browser, id, hash, { override: true, notes: 'Close enough.' }))
  const proposal = await propose()
  expect(proposal.before).toMatchObject({ overridden: expect.stringContaining('transfers 5 USDT') })
  await sql(office.server.services.orm.em.fork(), 'update users set wallet_address = null')
  await office.openBuyer({ wallet: other.wallet })

  await expect(approveProposal(office.one.browser, proposal)).rejects.toMatchObject({ code: 'proposal_outdated' })

  expect((await propose()).before).toMatchObject({ overridden: ofAnother.message })
})

test('a transaction that vanished and is mined again is weighed by what it transfers, also before it is read again', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 3 })
  const [buyer, owner] = [await office.openBuyer(), await office.openBuyer()]
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hashes = [await office.pay(buyer.wallet, '6'), await office.pay(owner.wallet, '7')] as const
  await office.chain.mine()
  await office.watch()
  const signed = await Promise.all(hashes.map(office.chain.signedBytes))
  await office.chain.reorganize(1)
  await office.chain.mine()
  await office.watch()
  expect(await office.deposits()).toMatchObject([{ blockNumber: null }, { blockNumber: null }])
  for (const serializedTransaction of signed) await office.chain.client.sendRawTransaction({ serializedTransaction })
  await office.chain.mine()

  const [own, foreign] = hashes
  const objections = await objectionsTo(manualConfirm(office.one.browser, id, foreign))
  expect(objections.map(({ code }) => code)).toEqual(['other_wallet', 'amount_differs', 'wallet_of_another'])
  await manualConfirm(office.one.browser, id, own)
  await office.confirm()
  expect(await office.deposits()).toMatchObject([
    { state: 'matched', purchaseId: id },
    { state: 'review', purchaseId: null },
  ])
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('of whose purchase a vanished transaction was is said before it confirms another, also if nobody has proven its wallet', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 3 })
  const [buyer, other] = [await office.openBuyer(), await office.openBuyer()]
  await sql(office.server.services.orm.em, 'update wallet_registrations set proven_at = null where user_id = $1', [other.user.id])
  const { id } = await office.openPurchase(buyer, 2, '6')
  await office.openPurchase(other, 2, '6')
  const hash = await office.pay(other.wallet, '6')
  await office.chain.mine()
  await office.watch()
  const serializedTransaction = await office.chain.signedBytes(hash)
  await office.chain.reorganize(1)
  await office.chain.mine()
  await office.watch()
  const codes = async () => (await objectionsTo(manualConfirm(office.one.browser, id, hash))).map(({ code }) => code)
  expect(await codes()).toEqual(['transaction_not_found', 'payment_of_another'])
  await office.chain.client.sendRawTransaction({ serializedTransaction })
  await office.chain.mine()
  expect(await codes()).toEqual(['other_wallet', 'payment_of_another'])
})

test('a transaction that was named in vain and is mined once another has paid waits for a person, and is used once', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const [buyer, other] = [await office.openBuyer(), await office.openBuyer()]
  const stranger = await office.openStranger()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const second = await office.openPurchase(other, 2, '6')
  const late = await office.pay(stranger, '6')
  const serializedTransaction = await office.chain.signedBytes(late)
  await office.chain.client.dropTransaction({ hash: late })
  await manualConfirm(office.one.browser, id, late, { override: true, notes: 'By mail.' })
  const hash = await office.pay(buyer.wallet, '6')
  await office.chain.mine()
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ transactionHash: hash, finalQuantity: 2 }])

  await office.chain.client.sendRawTransaction({ serializedTransaction })
  await office.chain.mine()
  await office.confirm()

  expect(await office.deposits()).toMatchObject([
    { state: 'matched', purchaseId: id },
    { state: 'review', purchaseId: null },
  ])
  const use = (purchaseId: string) =>
    manualConfirm(office.one.browser, purchaseId, late, { override: true, notes: 'Paid for her.' })
  await use(second.id)
  const third = await office.openPurchase(other, 2, '6')
  await expect(use(third.id)).rejects.toMatchObject({ code: 'transaction_used' })
  expect(await office.supply()).toMatchObject({ paid: 4 })
})

test('a purchase is not approved with a payment of a wallet that only another account has proven', async () => {
  const { office, id } = await ownersPayment({ usdt: '5', isRead: true })
  await expect(approve(office.one.browser, id)).rejects.toMatchObject(ofAnother)
  expect(await office.deposits()).toMatchObject([{ state: 'review' }])
})

test('a part of a wallet that only another account has proven is not taken when a deposit is assigned', async () => {
  const { office, id } = await ownersPayment({ usdt: '2', isRead: true })
  const stranger = await office.openStranger('4')
  const deposit = await office.pay(stranger, '4')
  await office.confirm()
  const overridden = [{ code: 'received_less', facts: { received: '4', due: '6' } }]
  const body = { purchaseId: id, note: 'The rest.', overridden }
  await office.call(assignDeposit, { params: { id: await office.depositOf(deposit) }, body })
  expect(await office.deposits()).toMatchObject([
    { amount: '2', state: 'review' },
    { amount: '4', state: 'assigned', purchaseId: id },
  ])
})

test('who only entered a wallet that another account has proven since is not told that its payment was theirs', async () => {
  const { office, id, buyer } = await ownersPayment({ usdt: '5', isRead: true })
  await cancel(office, id)
  const [told] = await mailsTo(office.database, buyer.user.email)
  expect(told).toMatchObject({
    subject: 'Your purchase of 2 nodes was cancelled',
    text: expect.stringContaining('came from a wallet that another account has proven to be its own.'),
  })
})

test('who reported a payment of another wallet is not told that it was theirs when the purchase is closed', async () => {
  const office = await startBackOffice()
  const [buyer, other] = [await office.openBuyer(), await office.openBuyer()]
  const hash = await office.pay(other.wallet, '7')
  await office.reserve(buyer, 2)
  const { id } = await office.post(buyer, { quantity: 2, usdt: '6', hash })
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ purchaseResult: 'wallet_mismatch' }])

  await cancel(office, id)
  const mails = await mailsTo(office.database, buyer.user.email)
  expect(mails.find(({ subject }) => subject === 'Your purchase of 2 nodes was cancelled')?.text).toContain(
    'The payment that was reported for it came from another wallet.',
  )
})

test('two equal transfers of a named transaction pay for one purchase each', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const purchases = [await office.openPurchase(buyer, 1, '3'), await office.openPurchase(buyer, 1, '3')]
  const hash = await office.sendBackAtOnce([
    [office.depositAddress, '3'],
    [office.depositAddress, '3'],
  ])
  await office.confirm()
  for (const { id } of purchases)
    await manualConfirm(office.one.browser, id, hash, { override: true, notes: 'Sent by an exchange.' })
  const paid = await office.deposits()
  expect(paid.map(({ state }) => state)).toEqual(['matched', 'matched'])
  expect(new Set(paid.map(({ purchaseId }) => purchaseId))).toEqual(new Set(purchases.map(({ id }) => id)))
})

test('of a named transaction that is not read yet, the transfer of the buyer pays, not one of another buyer in it', async () => {
  const office = await startBackOffice()
  const [buyer, other] = [await office.openBuyer(), await office.openBuyer()]
  const { chain, depositAddress: recipient } = office
  const em = office.server.services.orm.em.fork()
  const [named, own] = [await office.openPurchase(buyer, 2, '6'), await office.openPurchase(other, 2, '6')]
  const calls: { to: Address; data: Hex }[] = []
  for (const { user, wallet } of [other, buyer]) {
    const { address } = await deployBatchSender(chain, { owner: wallet, recipient, usdt: parseAmount('6')! })
    const senderIs = [user.id, address.toLowerCase()]
    await sql(em, 'update wallet_registrations set address = $2 where user_id = $1', senderIs)
    await sql(em, 'update purchases set wallet = $2 where user_id = $1', senderIs)
    const args = [chain.token, recipient, [parseAmount('6')!]] as const
    calls.push({ to: address, data: encodeFunctionData({ abi: batchSender.abi, functionName: 'send', args }) })
  }
  // As a bundle of two smart wallets.
  const hash = await chain.client.deployContract({ account: buyer.wallet, abi: [], bytecode: callAll(calls), gas: 1_000_000n })
  await chain.mine(office.confirmations)

  await manualConfirm(office.one.browser, named.id, hash)
  await office.confirm()

  expect(await office.purchases(other)).toMatchObject([{ id: own.id, paymentStatus: 'confirmed' }])
  expect((await office.deposits()).map(({ state, purchaseId }) => [state, purchaseId])).toEqual(
    expect.arrayContaining([
      ['matched', named.id],
      ['matched', own.id],
    ]),
  )
})

/** The code of a contract whose deployment makes these calls. */
function callAll(calls: readonly { to: Address; data: Hex }[]): Hex {
  const push2 = (value: number): Hex => concat(['0x61', toHex(value, { size: 2 })])
  let offset = 44 * calls.length + 1
  const parts = calls.map(({ to, data }) => {
    const length = push2(size(data))
    // CODECOPY(0, offset, length); CALL(gas, to, 0, 0, length, 0, 0); POP
    const part = concat([length, push2(offset), '0x600039', '0x60006000', length, '0x60006000', '0x73', to, '0x5af150'])
    offset += size(data)
    return part
  })
  return concat([...parts, '0x00', ...calls.map(({ data }) => data)])
}

test('the transaction of a refunded payment confirms no purchase, not even by an override', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '7')
  await office.confirm()
  const transactionHash = await office.sendBack(buyer.wallet.address, '7')
  const params = { id: await office.depositOf(hash) }
  await office.call(refundDeposit, { params, body: { transactionHash, note: 'Sent back.' } })

  for (const options of [{}, { override: true, notes: 'It is on the chain.' }])
    await expect(manualConfirm(office.one.browser, id, hash, options)).rejects.toMatchObject({ code: 'transaction_used' })
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('the known deposit of a named transaction is matched, and its 24 hours start when it was first seen', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const stranger = await office.openStranger()
  const hash = await office.pay(stranger, '6')
  await office.confirm()
  const seenAt = office.server.clock.productNow().getTime()
  office.server.clock.advance(5_000)
  expect(await office.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])

  await expect(manualConfirm(office.one.browser, id, hash)).rejects.toMatchObject({ status: 409, code: 'transaction_foreign' })
  expect(await office.send(`/api/admin/purchase/${id}/manual-confirm`, { transactionHash: hash, override: true })).toBe(400)
  expect(await office.supply()).toMatchObject({ paid: 0 })
  await manualConfirm(office.one.browser, id, hash, { override: true, notes: 'Paid from the exchange.' })

  expect(await office.deposits()).toMatchObject([{ state: 'matched', reason: null, purchaseId: id }])
  expect(await office.purchases(buyer)).toMatchObject([
    { adminNotes: 'Paid from the exchange.', transactionHash: hash, confirmedAgainstChain: true },
  ])
  const nodes = await sql<{ active_from: string }>(office.server.services.orm.em.fork(), 'select active_from from nodes')
  expect(nodes.map((node) => new Date(node.active_from).getTime())).toEqual([seenAt + DAY, seenAt + DAY])
})

test('a purchase whose deposit is moved to another purchase releases its supply', async () => {
  const office = await startBackOffice()
  const [buyer, friend] = [await office.openBuyer(), await office.openBuyer()]
  await office.openPurchase(buyer, 2, '6')
  const { id } = await office.openPurchase(friend, 1, '3')
  const hash = await office.pay(buyer.wallet, '7')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ reserved: 3 })

  await manualConfirm(office.one.browser, id, hash, { override: true, notes: 'For a friend.' })
  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId: id }])
  expect(await office.supply()).toMatchObject({ paid: 1, reserved: 0 })
})

test('a transaction that is missing, failed, or of another token, sender, recipient or amount is refused with the reason unless overridden', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const { client } = office.chain
  const elsewhere = await office.chain.transferUsdt({ from: buyer.wallet, to: makeAccount().address, amount: parseAmount('6')! })
  const failed = await client.sendTransaction({
    account: buyer.wallet,
    to: USDT_ADDRESS,
    data: encodeFunctionData({
      abi: bep20Usdt.abi,
      functionName: 'transfer',
      args: [office.depositAddress, parseAmount('1000000')!],
    }),
    gas: 200_000n,
  })
  const otherToken = makeAccount().address
  await office.chain.placeToken(otherToken)
  const token = { account: buyer.wallet, address: otherToken, abi: bep20Usdt.abi } as const
  await client.writeContract({ ...token, functionName: 'mint', args: [buyer.wallet.address, parseAmount('6')!] })
  const lookAlike = await client.writeContract({
    ...token,
    functionName: 'transfer',
    args: [office.depositAddress, parseAmount('6')!],
  })
  const foreign = await office.pay(await office.openStranger(), '6')
  const tooMuch = await office.pay(buyer.wallet, '6.5')
  const missing = `0x${'7'.repeat(64)}` as const

  for (const [hash, code, message] of [
    [missing, 'transaction_not_found', 'not on the chain'],
    [failed, 'transaction_foreign', 'failed'],
    [lookAlike, 'transaction_foreign', 'transfers no USDT'],
    [elsewhere, 'transaction_foreign', 'an address other than'],
    [foreign, 'transaction_foreign', 'wallet'],
    [tooMuch, 'transaction_foreign', '6.5 USDT'],
  ] as const)
    await expect(manualConfirm(office.one.browser, id, hash)).rejects.toMatchObject({
      status: 409,
      code,
      serverMessage: expect.stringContaining(message),
    })
  expect(await office.log('purchase.')).toEqual([])

  await manualConfirm(office.one.browser, id, missing, { override: true, notes: 'The node lags.' })
  expect(await office.purchases(buyer)).toMatchObject([
    { paymentStatus: 'confirmed', transactionHash: missing, finalQuantity: 2, confirmedAgainstChain: true, payment: null },
  ])
  expect((await office.log('purchase.'))[0]).toMatchObject({
    before: { confirmedAgainstChain: false },
    after: { namedTransaction: missing, owedDeposit: true, confirmedAgainstChain: true },
  })

  const hash = await office.pay(buyer.wallet, '6')
  await office.confirm()
  expect(await office.purchases(buyer), 'the payment that arrives later').toMatchObject([
    { transactionHash: hash, finalQuantity: 2, confirmedAgainstChain: true },
  ])
})

test('while the chain does not answer, a named transaction is neither refused nor confirmed', async () => {
  const office = await startBackOffice({ rpcUrls: () => ['http://127.0.0.1:9'] })
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 1, '3')
  const hash = `0x${'1'.repeat(64)}` as const
  for (const options of [{}, { override: true, notes: 'I am sure.' }])
    await expect(manualConfirm(office.one.browser, id, hash, options)).rejects.toMatchObject({
      status: 503,
      code: 'chain_unavailable',
    })
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'pending' }])
})

test('a payment that one endpoint inflates confirms no purchase, whether one or two others contradict it', async () => {
  for (const others of [1, 2]) {
    let faulty: FaultyRpc | undefined
    const office = await startBackOffice({
      rpcUrls: async (chain) => {
        faulty = await startFaultyRpc(chain.url)
        const honest = await Promise.all(Array.from({ length: others }, () => startFaultyRpc(chain.url)))
        return [faulty.url, ...honest.map(({ url }) => url)]
      },
    })
    const buyer = await office.openBuyer({ usdt: '3000' })
    const { id } = await office.openPurchase(buyer, 1000, '3000')
    const hash = await office.pay(buyer.wallet, '3')
    lieAboutAmount(faulty!, { hash, amount: parseAmount('3000')! })
    await office.watch()

    const contradicted = manualConfirm(office.one.browser, id, hash)
    await expect(contradicted).rejects.toMatchObject(
      others === 1
        ? {
            status: 503,
            code: 'chain_unavailable',
            serverMessage: expect.stringMatching(/^The endpoints 127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+ contradict each other/),
          }
        : { status: 409, code: 'transaction_foreign' },
    )
    expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'pending' }])
  }
})

test('while only one of two endpoints answers, nothing is confirmed by hand, and the error names the one that answers', async () => {
  let silent: FaultyRpc | undefined
  const office = await startBackOffice({
    rpcUrls: async (chain) => [chain.url, (silent = await startFaultyRpc(chain.url)).url],
  })
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 1, '3')
  const hash = await office.pay(buyer.wallet, '3')
  silent!.fail(() => 'drop')
  await expect(manualConfirm(office.one.browser, id, hash)).rejects.toMatchObject({
    status: 503,
    code: 'chain_unavailable',
    serverMessage: `Only one endpoint answers (${new URL(office.chain.url).host}). The transaction cannot be verified now. Please try again.`,
  })

  silent!.heal()
  await manualConfirm(office.one.browser, id, hash)
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed' }])
})

test('of two concurrent decisions on one purchase, one is refused', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  for (let round = 0; round < 4; round += 1) {
    const { id } = await office.openPurchase(buyer, 1, '3')
    const { done, refused } = await outcomes([
      approve(office.one.browser, id),
      reject({ call: office.other.browser.call }, id),
      cancel(office, id),
      approve(office.other.browser, id),
    ])
    expect({ done, refused }).toEqual({ done: 1, refused: ['purchase_closed', 'purchase_closed', 'purchase_closed'] })
  }
  expect(await office.log('purchase.')).toHaveLength(4)
  expect(await office.supply()).toMatchObject({ reserved: 0 })
})

test('an administrator and the watcher at once allocate the nodes once', async () => {
  const office = await startBackOffice()
  const buyers = await Promise.all(Array.from({ length: 6 }, () => office.openBuyer()))
  const opened: { id: string; hash: `0x${string}` }[] = []
  for (const buyer of buyers) {
    const { id } = await office.openPurchase(buyer, 2, '6')
    opened.push({ id, hash: await office.pay(buyer.wallet, '6') })
  }
  await office.watch()
  await office.chain.mine(office.confirmations)

  const { refused } = await outcomes([
    office.watch(),
    ...opened.map(({ id, hash }, index) =>
      index % 2 === 0 ? approve(office.one.browser, id) : manualConfirm(office.other.browser, id, hash),
    ),
  ])
  for (const code of refused) expect(code).toMatch(/^(purchase_closed|request_in_progress|transaction_used)$/)
  await office.confirm()

  expect(await office.supply()).toMatchObject({ paid: 12, reserved: 0 })
  expect(await office.nodeNumbers()).toHaveLength(12)
  expect((await office.deposits()).map(({ state }) => state)).toEqual(Array(6).fill('matched'))
})

test('with two owners, an unpaid purchase is confirmed by two persons, with a transaction or without', async () => {
  const office = await startBackOffice()
  await sql(office.server.services.orm.em.fork(), `update administrators set role = 'owner' where id = $1`, [office.other.id])
  const [buyer, friend, payer] = [await office.openBuyer(), await office.openBuyer(), await office.openBuyer()]
  const unpaid = await office.openPurchase(buyer, 1, '3')
  const proposal = await proposalOf(office.one.browser, approve(office.one.browser, unpaid.id))
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'pending' }])
  await approveProposal(office.other.browser, proposal)
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed' }])

  const named = await office.openPurchase(friend, 1, '3')
  const override = { override: true, notes: 'Seen in the wallet.' }
  const hash = `0x${'cd'.repeat(32)}` as const
  await proposalOf(office.one.browser, manualConfirm(office.one.browser, named.id, hash, override))

  const paid = await office.openPurchase(payer, 2, '6')
  await office.pay(payer.wallet, '7')
  await office.watch()
  await office.confirm()
  expect(await approve(office.one.browser, paid.id)).toMatchObject({ purchase: { paymentStatus: 'confirmed' } })
})

test('with two owners, an underpaid purchase is confirmed by two persons', async () => {
  const office = await startBackOffice()
  await sql(office.server.services.orm.em.fork(), `update administrators set role = 'owner' where id = $1`, [office.other.id])
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 100, '300')
  await office.pay(buyer.wallet, '1')
  await office.confirm()
  const proposal = await proposalOf(office.one.browser, approve(office.one.browser, id))
  expect(await office.supply()).toMatchObject({ paid: 0 })
  await approveProposal(office.other.browser, proposal)
  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId: id }])
})
