import { expect, onTestFinished, test } from 'vitest'
import type { Address, Hash, PrivateKeyAccount } from 'viem'
import * as contract from '#shared/contract/admin/deposits.ts'
import { cancelPurchase, listPendingReviews } from '#shared/contract/admin/purchases.ts'
import type { ApiError } from '#shared/contract/client.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import type { Objection } from '#shared/objections.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { addBusinessDays } from '#shared/businessDays.ts'
import { DAY, MINUTE, SECOND } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { approve, type BackOffice, insist, manualConfirm, named, outcomes, startBackOffice } from '#api/testing/backOffice.ts'
import { makeAccount, USDT_ADDRESS } from '#api/testing/chains.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { lieAboutAmount } from '#api/testing/lyingRpc.ts'
import { mailsTo } from '#api/testing/mails.ts'
import type { Buyer } from '#api/testing/people.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { acceptDatabase, claimDatabase } from '../purchases/restoredDatabase.ts'
import { readNewestTime, reviewWallets } from './reviewWallets.ts'

const closed = { status: 409, code: 'deposit_closed' }
type Caller = Pick<BackOffice, 'call'>

const assign = (
  { call }: Caller,
  id: string,
  to: { purchaseId: string } | { userEmail: string; quantity: number },
  idempotencyKey?: string,
) =>
  insist((named) =>
    call(
      contract.assignDeposit,
      { params: { id }, body: { note: 'By mail.', ...to, ...named } },
      idempotencyKey ? { idempotencyKey } : {},
    ),
  )
const refunded = ({ call }: Caller, id: string, transactionHash: Hash, reason?: string) =>
  call(contract.refundDeposit, { params: { id }, body: { transactionHash, note: 'Sent back.', ...(reason && { reason }) } })
const ignore = ({ call }: Caller, id: string) => call(contract.ignoreDeposit, { params: { id }, body: { note: 'Dust.' } })

const reviews = ({ call }: Caller, page = 1) => call(listPendingReviews, { query: { page, limit: 20, offset: 0 } })

/** A deposit that matches no account. */
async function unmatched(office: BackOffice, usdt = '6') {
  const stranger = await office.openStranger()
  const hash = await office.pay(stranger, usdt)
  await office.confirm()
  return { stranger, hash, id: await office.depositOf(hash) }
}

test('deposits in review are listed, oldest first, with the nodes they would buy and their deadline', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '7')
  await office.confirm()
  const seenAt = office.server.clock.productNow()
  office.server.clock.advance(DAY)
  await unmatched(office, '10')

  const { purchases, deposits, unmatchedUsdt } = await reviews(office)
  expect(purchases).toMatchObject([{ id: purchaseId, paymentStatus: 'manual_review', seenAt, dueBy: addBusinessDays(seenAt, 5) }])
  expect(deposits).toMatchObject([
    {
      reason: 'overpaid',
      probableUserEmail: buyer.user.email,
      probableUserId: buyer.user.id,
      purchaseId,
      affordableNodes: 2,
      seenAt,
      dueBy: addBusinessDays(seenAt, 5),
    },
    { reason: 'unmatched', probableUserEmail: null, purchaseId: null, affordableNodes: 3 },
  ])
  expect(formatAmount(unmatchedUsdt)).toBe('17')

  // The price at the time of the block counts, not the current one.
  await office.set('node_price_usdt', '5')
  expect((await reviews(office)).deposits[1]).toMatchObject({ affordableNodes: 3 })
})

test('a payment in review names the accounts that have proven its wallet, also those that proved it later', async () => {
  const office = await startBackOffice()
  const { stranger } = await unmatched(office)
  const entered = await office.openBuyer({ wallet: stranger, proven: false })
  const listed = async () => (await reviews(office)).deposits
  expect(await listed()).toMatchObject([{ probableUserEmail: null, provers: [] }])

  const [owner, next] = [await office.openBuyer({ wallet: null }), await office.openBuyer({ wallet: null })]
  await prove(office, owner, stranger)
  const ofOwner = { userId: owner.user.id, email: owner.user.email }
  expect(await listed()).toMatchObject([
    { probableUserEmail: owner.user.email, probableUserId: owner.user.id, provers: [ofOwner] },
  ])
  await owner.browser.call(updateWallet, { body: { walletAddress: null } })
  office.server.clock.advance(MINUTE)
  await prove(office, next, stranger)
  const [{ probableUserEmail, provers }] = (await listed()) as [Awaited<ReturnType<typeof listed>>[number]]
  expect(provers?.map(({ email }) => email)).toEqual([next.user.email, owner.user.email])
  expect(probableUserEmail).toBe(next.user.email)

  // One that was found for a request of an account that has only entered the wallet is the prover's, too.
  await sql(office.server.services.orm.em.fork(), 'update deposits set user_id = $1', [entered.user.id])
  expect(await listed()).toMatchObject([{ probableUserEmail: next.user.email }])
  await sql(office.server.services.orm.em.fork(), 'update deposits set user_id = $1', [owner.user.id])
  expect(await listed()).toMatchObject([{ probableUserEmail: owner.user.email }])
})

test('a payment in review names the accounts that have reported it, those that wait for it first', async () => {
  const office = await startBackOffice()
  const exchange = await office.openStranger()
  const [first, second] = [await office.openBuyer(), await office.openBuyer()]
  const hash = await office.pay(exchange, '6')
  for (const reporter of [first, second]) {
    await reporter.grantMark()
    const { id } = await office.post(reporter, { quantity: 2, usdt: '6', hash })
    if (reporter === first) await office.call(cancelPurchase, { params: { id }, body: { reason: 'Not paid in time.' } })
  }
  await office.confirm()
  const reporters = [second, first].map(({ user: { id, email } }) => ({ userId: id, email }))
  expect((await reviews(office)).deposits).toMatchObject([{ transactionHash: hash, reporters }])
})

test('a deposit assigned to a purchase pays for it once', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const { id, hash } = await unmatched(office)

  const first = await assign(office, id, { purchaseId }, 'key-1')
  expect(await assign(office, id, { purchaseId }, 'key-1')).toEqual(first)
  expect(await office.deposits()).toMatchObject([{ state: 'assigned', reason: null, purchaseId }])
  expect(await office.purchases(buyer)).toMatchObject([
    { paymentStatus: 'confirmed', transactionHash: hash, nodeNumbers: [1, 2], adminNotes: 'By mail.' },
  ])
  expect(await mailsTo(office.database, buyer.user.email)).toHaveLength(1)
  expect((await office.log('deposit.'))[0]).toMatchObject({
    actor: `admin:${office.one.username}`,
    target: `deposit:${id}`,
    before: { state: 'review', reviewReason: 'unmatched', purchaseId: null },
    after: { state: 'assigned', purchaseId, assignedTo: { status: 'confirmed', owedDeposit: false } },
  })

  for (const again of [() => assign(office, id, { purchaseId }), () => ignore(office, id), () => refunded(office, id, hash)])
    await expect(again()).rejects.toMatchObject(closed)
  const other = await unmatched(office)
  await expect(assign(office, other.id, { purchaseId })).rejects.toMatchObject({ status: 409, code: 'purchase_closed' })
  await expect(assign(office, other.id, { purchaseId: crypto.randomUUID() })).rejects.toMatchObject({ status: 404 })
  await expect(ignore(office, crypto.randomUUID())).rejects.toMatchObject({ status: 404 })
})

test('a deposit assigned to an account buys the given number of nodes for its full amount', async () => {
  const office = await startBackOffice({ supply: 4 })
  const buyer = await office.openBuyer()
  const { id, hash } = await unmatched(office, '10')
  const to = (quantity: number) => ({ userEmail: buyer.user.email.toUpperCase(), quantity })

  await expect(assign(office, id, to(5))).rejects.toMatchObject({ code: 'insufficient_supply', details: { remaining: '4' } })
  await expect(assign(office, id, { userEmail: 'nobody@example.com', quantity: 1 })).rejects.toMatchObject({ status: 404 })
  expect(await office.send(`/api/admin/deposits/${id}/assign`, { note: 'x', userEmail: buyer.user.email })).toBe(400)
  expect(await office.deposits()).toMatchObject([{ state: 'review', purchaseId: null }])
  expect(await office.purchases(buyer)).toEqual([])

  await assign(office, id, to(4))
  const [purchase] = await office.purchases(buyer)
  expect(purchase).toMatchObject({
    paymentStatus: 'confirmed',
    finalQuantity: 4,
    purchaseAmountUsdt: parseAmount('10'),
    transactionHash: hash,
    payment: { received: parseAmount('10') },
  })
  expect(await office.deposits()).toMatchObject([{ state: 'assigned', purchaseId: purchase!.id }])
})

test('a payment whose wallet was proven since it was shown is assigned to another account only by who was shown that', async () => {
  const office = await startBackOffice()
  const { stranger, id } = await unmatched(office, '7')
  const [buyer, owner] = [await office.openBuyer(), await office.openBuyer({ wallet: null })]
  const send = (overridden: Objection[] = []) => {
    const body = { userEmail: buyer.user.email, quantity: 3, note: 'By mail.', overridden }
    return office.call(contract.assignDeposit, { params: { id }, body })
  }
  const objectionsTo = async (sent: Promise<unknown>) => {
    const error = (await sent.catch((refused: unknown) => refused)) as ApiError
    expect(error).toMatchObject({ status: 409, name: 'ApiError' })
    return named(error)
  }
  const price = { code: 'received_less', facts: { received: '7', due: '9' } }
  expect(await objectionsTo(send())).toEqual([price])
  await prove(office, owner, stranger)
  const wallet = { wallet: stranger.address.toLowerCase(), account: owner.user.email }
  const ofAnother = { code: 'wallet_of_another', facts: wallet }
  expect(await objectionsTo(send([price]))).toEqual([price, ofAnother])
  expect(await objectionsTo(send([price, { ...ofAnother, facts: { ...wallet, account: buyer.user.email } }]))).toHaveLength(2)
  expect(await office.supply()).toMatchObject({ paid: 0 })

  await send([price, ofAnother])
  expect(await office.supply()).toMatchObject({ paid: 3 })
  expect((await office.log('deposit.assign'))[0]).toMatchObject({
    before: { overridden: expect.stringMatching(/^Final payments of 7 USDT.+9 USDT is due\.\nAnother account has proven/) },
  })
})

test('a payment that buys more nodes than an account gets is assigned only by who was shown that, alone', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await unmatched(office, '10')
  const send = (quantity: number, overridden: Objection[] = []) => {
    const body = { userEmail: buyer.user.email, quantity, note: 'By mail.', overridden }
    return office.call(contract.assignDeposit, { params: { id }, body })
  }
  const tooMuch = { code: 'received_more', facts: { received: '10', due: '6' } }
  await expect(send(2)).rejects.toMatchObject({ status: 409, objections: [tooMuch] })
  await send(2, [tooMuch])
  expect(await office.supply()).toMatchObject({ paid: 2 })

  const next = await unmatched(office, '10')
  const body = { userEmail: buyer.user.email, quantity: 3, note: 'By mail.', overridden: [] }
  await office.call(contract.assignDeposit, { params: { id: next.id }, body })
  expect(await office.supply()).toMatchObject({ paid: 5 })
})

test('a payment of more than a purchase costs is assigned only by who was shown that, alone', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const { id } = await unmatched(office, '7')
  const send = (overridden: Objection[]) =>
    office.call(contract.assignDeposit, { params: { id }, body: { purchaseId, note: 'By mail.', overridden } })
  const tooMuch = { code: 'received_more', facts: { received: '7', due: '6' } }
  await expect(send([])).rejects.toMatchObject({ status: 409, objections: [tooMuch] })
  await send([tooMuch])
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('earlier underpaid deposits become part of the payment; an excess deposit stays in review', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '2')
  const rest = await unmatched(office, '4')
  await assign(office, rest.id, { purchaseId })
  expect((await office.deposits()).map(({ state }) => state).toSorted()).toEqual(['assigned', 'matched'])
  expect((await mailsTo(office.database, buyer.user.email))[0]!.text).toContain('\nAmount paid: 6 USDT\n')

  const next = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '2')
  const all = await unmatched(office, '6')
  await assign(office, all.id, { purchaseId: next.id })
  expect((await office.deposits()).filter(({ state }) => state === 'review')).toMatchObject([
    { amount: '2', purchaseId: next.id },
  ])
})

test('a part that is assigned to another purchase leaves the other parts to its own', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: own } = await office.openPurchase(buyer, 2, '6')
  office.server.clock.advance(MINUTE)
  const { id: purchaseId } = await office.openPurchase(buyer, 3, '9')
  const first = await office.pay(buyer.wallet, '2')
  await office.confirm()
  office.server.clock.advance(MINUTE)
  await office.pay(buyer.wallet, '1')
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ purchaseId: own }, { purchaseId: own }])

  await assign(office, await office.depositOf(first), { purchaseId })
  expect(await office.deposits()).toMatchObject([
    { state: 'assigned', purchaseId },
    { state: 'review', purchaseId: own },
  ])
})

test('no deposit is assigned to a purchase while its own payment is not final, which would buy nodes again', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 10, '30')
  await office.pay(buyer.wallet, '9')
  const { id } = await unmatched(office, '30')
  await office.pay(buyer.wallet, '21')
  await office.watch()

  await expect(assign(office, id, { purchaseId })).rejects.toMatchObject({ status: 409, code: 'request_in_progress' })
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed' }])
  expect(await office.supply()).toMatchObject({ paid: 10 })
})

test('a purchase whose deposit is assigned elsewhere releases its supply', async () => {
  const office = await startBackOffice()
  const [buyer, friend] = [await office.openBuyer(), await office.openBuyer()]
  await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '7')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ reserved: 2 })

  await assign(office, await office.depositOf(hash), { userEmail: friend.user.email, quantity: 1 })
  expect(await office.supply()).toMatchObject({ paid: 1, reserved: 0 })
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', payment: null }])
  expect(await office.purchases(friend)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1] }])
})

test('a refunded deposit is closed with its refunding transfer, and its owner gets a mail', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '7')
  await office.confirm()
  const id = await office.depositOf(hash)
  const back = await office.sendBack(buyer.wallet.address, '6.9')

  await expect(refunded(office, id, back)).rejects.toMatchObject({
    status: 409,
    code: 'reason_required',
    serverMessage: 'This transaction returns 6.9 of 7 USDT. Please enter the reason for the difference.',
  })
  await refunded(office, id, back, 'The fee of the exchange.')
  expect(await office.deposits()).toMatchObject([{ state: 'refunded', reason: null, purchaseId }])
  const [row] = await sql<{ amount: string }>(office.database.orm.em.fork(), 'select refunded_amount as amount from deposits')
  expect(formatAmount(BigInt(row!.amount))).toBe('6.9')
  expect(await buyer.browser.call(listPayments, {})).toMatchObject([
    { state: 'refunded', refund: { transactionHash: back, reason: 'The fee of the exchange.' } },
  ])
  expect(await office.supply()).toMatchObject({ reserved: 0 })
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', payment: null }])
  expect(await mailsTo(office.database, buyer.user.email)).toMatchObject([
    {
      subject: '6.9 USDT was sent back to you',
      text: expect.stringMatching(new RegExp(`${back}[^]*The fee of the exchange\\.`)),
    },
    { subject: 'Your payment of 7 USDT waits for our team' },
  ])
  expect((await office.log('deposit.'))[0]).toMatchObject({
    action: 'deposit.refunded',
    after: { state: 'refunded', refundHash: back, refundedAmount: '6.9', reason: 'The fee of the exchange.' },
  })
  await expect(refunded(office, id, back)).rejects.toMatchObject(closed)

  // The deposit is refunded, so approving the purchase leaves it owed a payment.
  await approve(office.one.browser, purchaseId)
  await office.pay(buyer.wallet, '6')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('the refund of a reported payment is told to the account that reported it, and to the one that paid, and neither learns of the other', async () => {
  const office = await startBackOffice()
  const [buyer, payer] = [await office.openBuyer(), await office.openBuyer()]
  const exchange = await office.openStranger()
  const report = async (from: typeof exchange) => {
    const hash = await office.pay(from, '7')
    await buyer.grantMark()
    const { id: purchaseId } = await office.post(buyer, { quantity: 2, usdt: '6', hash })
    await office.confirm()
    const back = await office.sendBack(from.address, '6.9')
    await refunded(office, await office.depositOf(hash), back, `The fee of ${payer.user.email}.`)
    await office.call(cancelPurchase, { params: { id: purchaseId }, body: { reason: 'Refunded.' } })
    return { hash, purchaseId, back }
  }
  const mailOf = async ({ user }: typeof buyer) =>
    (await mailsTo(office.database, user.email)).find(({ subject }) => subject.includes('sent back'))

  const fromExchange = await report(exchange)
  expect(await mailOf(buyer)).toMatchObject({
    subject: 'A payment for your purchase was sent back',
    text: expect.stringMatching(
      new RegExp(
        `^A payment of 7 USDT for your purchase could not be used\\. 6\\.9 USDT was sent back to the wallet it came from\\.[^]+\\nRefund: ${fromExchange.back}\\nPayment: ${fromExchange.hash}\\nPurchase: ${fromExchange.purchaseId}\\n`,
      ),
    ),
  })
  const [cancelled] = await mailsTo(office.database, buyer.user.email)
  expect(cancelled!.text).toContain('A payment that arrived for it was sent back or closed before.')
  const ofPayer = await report(payer.wallet)
  const [told, own] = [await mailOf(buyer), await mailOf(payer)]
  expect(told!.text).toContain(`Payment: ${ofPayer.hash}`)
  expect(told!.text).not.toContain(payer.user.email)
  expect(own).toMatchObject({ subject: '6.9 USDT was sent back to you', text: expect.stringContaining(payer.user.email) })
  expect(own!.text).not.toContain(ofPayer.purchaseId)
})

test('a payment that waits when its wallet is proven is shown to the owner, who is told of its refund; it is credited to nobody', async () => {
  const office = await startBackOffice()
  const wallet = await office.openStranger()
  const entered = await office.openBuyer({ wallet, proven: false })
  const unmatchedHash = await office.pay(wallet, '8')
  await office.confirm()
  const { id: purchaseId } = await office.openPurchase(entered, 2, '6')
  const attachedHash = await office.pay(wallet, '7')
  await office.confirm()
  const owner = await office.openBuyer({ wallet: null })
  const paymentsOf = async ({ browser }: typeof owner) =>
    (await browser.call(listPayments, {})).map((payment) => [payment.transactionHash, payment.state, payment.purchaseId])
  expect(await paymentsOf(owner)).toEqual([])
  expect(await paymentsOf(entered)).toEqual([[attachedHash, 'waiting', purchaseId]])

  await prove(office, owner, wallet)
  expect(await toldTo(office, owner.user.id)).toContain(listPayments.path)
  expect(await paymentsOf(owner)).toEqual([
    [attachedHash, 'waiting', null],
    [unmatchedHash, 'waiting', null],
  ])
  expect(await paymentsOf(entered)).toEqual([[attachedHash, 'waiting', purchaseId]])
  await office.watch()
  expect(await office.supply()).toMatchObject({ paid: 0 })

  for (const [hash, usdt] of [
    [unmatchedHash, '8'],
    [attachedHash, '7'],
  ] as const)
    await refunded(office, await office.depositOf(hash), await office.sendBack(wallet.address, usdt))
  const subjects = async ({ user }: typeof owner) => (await mailsTo(office.database, user.email)).map(({ subject }) => subject)
  expect((await subjects(owner)).slice(0, 2)).toEqual(['7 USDT was sent back to you', '8 USDT was sent back to you'])
  expect((await subjects(entered))[0]).toBe('A payment for your purchase was sent back')
  expect((await paymentsOf(owner)).map(([, state]) => state)).toEqual(['refunded', 'refunded'])

  // What one account had proven before stays its own when another proves the wallet later.
  const own = await office.pay(wallet, '4')
  await office.confirm()
  await owner.browser.call(updateWallet, { body: { walletAddress: null } })
  const next = await office.openBuyer({ wallet: null })
  await prove(office, next, wallet)
  expect(await paymentsOf(next)).toEqual([])
  await refunded(office, await office.depositOf(own), await office.sendBack(wallet.address, '4'))
  expect((await subjects(owner))[0]).toBe('4 USDT was sent back to you')
})

/** Registers a wallet with its signature. */
async function prove({ server }: BackOffice, { user, browser }: Buyer, wallet: PrivateKeyAccount) {
  const message = walletProofMessage({
    host: new URL(server.url).host,
    email: user.email,
    address: wallet.address.toLowerCase() as Address,
    timestamp: server.clock.now().toISOString(),
  })
  await browser.call(updateWallet, {
    body: { walletAddress: wallet.address, message, signature: await wallet.signMessage({ message }) },
  })
}

test('a reason for a lower refund is not told with the whole amount', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const hash = await office.pay(buyer.wallet, '7')
  await office.confirm()
  await refunded(office, await office.depositOf(hash), await office.sendBack(buyer.wallet.address, '7'), 'The fee.')
  const [mail] = await mailsTo(office.database, buyer.user.email)
  expect(mail!.subject).toBe('7 USDT was sent back to you')
  expect(mail!.text).not.toContain('The fee.')
})

test('a refund must be final, USDT, to the sender, of no more than was sent, later, and of no other deposit', async () => {
  const office = await startBackOffice()
  const stranger = await office.openStranger()
  const earlier = await office.sendBack(stranger.address, '6')
  const [first, second] = [await office.pay(stranger, '6'), await office.pay(stranger, '6')]
  await office.confirm()
  const [id, other] = [await office.depositOf(first), await office.depositOf(second)]

  const refusals = [
    [`0x${'7'.repeat(64)}`, 'transaction_not_found', 'not on the chain'],
    [earlier, 'transaction_foreign', 'older'],
    [first, 'transaction_foreign', 'transfers no USDT to'],
    [await office.sendBack(makeAccount().address, '6'), 'transaction_foreign', 'transfers no USDT to'],
    [await office.sendBack(stranger.address, '6.000000000000000001'), 'transaction_foreign', 'more than the 6 USDT'],
    [await office.sendBack(stranger.address, '6', { final: false }), 'transaction_foreign', 'not final'],
  ] as const
  for (const [hash, code, message] of refusals.toReversed())
    await expect(refunded(office, id, hash)).rejects.toMatchObject({
      status: 409,
      code,
      serverMessage: expect.stringContaining(message),
    })

  const back = await office.sendBack(stranger.address, '6')
  const { done, refused } = await outcomes([
    refunded(office, id, back),
    refunded({ call: office.other.browser.call }, other, back),
  ])
  expect({ done, refused }).toEqual({ done: 1, refused: ['transaction_used'] })
  expect((await office.deposits()).map(({ state }) => state).toSorted()).toEqual(['refunded', 'review'])
})

test('one transaction refunds every deposit that a transfer in it to its sender covers', async () => {
  const office = await startBackOffice()
  const [first, second] = [await office.openStranger(), await office.openStranger()]
  const hashes = [
    await office.pay(first, '5'),
    await office.pay(first, '3'),
    await office.pay(second, '4'),
    await office.pay(second, '9'),
  ]
  await office.confirm()
  const [five, three, four, nine] = (await Promise.all(hashes.map((hash) => office.depositOf(hash)))) as [
    string,
    string,
    string,
    string,
  ]
  const back = await office.sendBackAtOnce([
    [first.address, '3'],
    [second.address, '4'],
    [first.address, '5'],
  ])

  for (const id of [five, three, four]) await refunded(office, id, back)
  await expect(refunded(office, nine, back)).rejects.toMatchObject({ status: 409, code: 'transaction_used' })

  const rows = await sql<{ amount: string; refunded_amount: string; refund_ordinal: number }>(
    office.server.services.orm.em.fork(),
    `select amount, refunded_amount, refund_ordinal from deposits where state = 'refunded' order by refund_ordinal`,
  )
  expect(rows.map((row) => [formatAmount(BigInt(row.amount)), formatAmount(BigInt(row.refunded_amount))])).toEqual([
    ['3', '3'],
    ['4', '4'],
    ['5', '5'],
  ])
  expect(rows.map((row) => row.refund_ordinal)).toEqual([0, 1, 2])
})

test('a transfer named for two deposits of its sender at once refunds one of them', async () => {
  const office = await startBackOffice()
  for (let round = 0; round < 4; round += 1) {
    const stranger = await office.openStranger()
    const [first, second] = [await office.pay(stranger, '6'), await office.pay(stranger, '6')]
    await office.confirm()
    const back = await office.sendBackAtOnce([[stranger.address, '6']])
    const other = { call: office.other.browser.call }
    const { done, refused } = await outcomes([
      refunded(office, await office.depositOf(first), back),
      refunded(other, await office.depositOf(second), back),
    ])
    expect({ done, refused }).toEqual({ done: 1, refused: ['transaction_used'] })
  }
})

test('a refund recorded by an earlier release keeps its transfer', async () => {
  const office = await startBackOffice()
  const stranger = await office.openStranger()
  const [first, second] = [await office.pay(stranger, '6'), await office.pay(stranger, '6')]
  await office.confirm()
  const back = await office.sendBackAtOnce([[stranger.address, '6']])
  await refunded(office, await office.depositOf(first), back)
  await sql(office.server.services.orm.em.fork(), 'update deposits set refund_ordinal = null')
  await expect(refunded(office, await office.depositOf(second), back)).rejects.toMatchObject({ code: 'transaction_used' })
})

test('a transfer before the deposit, or of its sender to itself, refunds nothing', async () => {
  const office = await startBackOffice({ mining: 'manual' })
  const [stranger, treasury] = [await office.openStranger(), await office.openStranger()]
  await office.chain.mine()
  const earlier = await office.chain.transferUsdt({ from: treasury, to: stranger.address, amount: parseAmount('6')! })
  const paid = await office.pay(stranger, '6')
  await office.chain.mine()
  const [first, then] = [await office.chain.receipt(earlier), await office.chain.receipt(paid)]
  expect(first.blockNumber).toBe(then.blockNumber)
  expect(first.transactionIndex).toBeLessThan(then.transactionIndex)
  await office.confirm()
  const id = await office.depositOf(paid)
  await expect(refunded(office, id, earlier)).rejects.toMatchObject({
    code: 'transaction_foreign',
    serverMessage: 'This transaction is older than the deposit.',
  })

  const toItself = await office.chain.transferUsdt({ from: stranger, to: stranger.address, amount: parseAmount('6')! })
  await office.chain.mine()
  await office.confirm()
  await expect(refunded(office, id, toItself)).rejects.toMatchObject({
    code: 'transaction_foreign',
    serverMessage: expect.stringContaining('transfers no USDT to'),
  })
})

test('a transfer in an earlier block, or of nothing, refunds nothing; one later in the block of the deposit refunds it', async () => {
  const office = await startBackOffice({ mining: 'manual' })
  const [stranger, treasury] = [await office.openStranger(), await office.openStranger()]
  await office.chain.mine()
  const send = (from: typeof stranger, to: Address, usdt: string) =>
    office.chain.transferUsdt({ from, to, amount: parseAmount(usdt)! })
  await send(treasury, makeAccount().address, '1')
  const earlier = await send(treasury, stranger.address, '6')
  await office.chain.mine()
  const paid = await office.pay(stranger, '6')
  const later = await send(treasury, stranger.address, '6')
  const nothing = await send(treasury, stranger.address, '0')
  await office.chain.mine()
  const [before, deposit, after] = await Promise.all([earlier, paid, later].map((hash) => office.chain.receipt(hash)))
  expect(before!.logs[0]!.logIndex).toBeGreaterThan(deposit!.logs[0]!.logIndex)
  expect(after!.blockNumber).toBe(deposit!.blockNumber)
  await office.confirm()
  const id = await office.depositOf(paid)

  await expect(refunded(office, id, earlier)).rejects.toMatchObject({
    serverMessage: 'This transaction is older than the deposit.',
  })
  await expect(refunded(office, id, nothing, 'A fee.')).rejects.toMatchObject({
    serverMessage: expect.stringContaining('transfers no USDT to'),
  })
  await refunded(office, id, later)
  expect(await office.deposits()).toMatchObject([{ state: 'refunded' }])
})

test.each([
  ['a restored database', `update chain_progress set settled_in = '7712412383613968418/16384'`],
  // The same server and database, with another table.
  ['a dump that was restored into the same database', `update chain_progress set settled_table = '1'`],
])('%s credits nothing until an operator has said what was refunded after the dump', async (_name, restore) => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  await office.database.orm.em.fork().transactional(acceptDatabase)
  await sql(office.database.orm.em.fork(), restore)
  await office.pay(buyer.wallet, '6')
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ state: 'seen' }])
  expect(office.alerts).toMatchObject([expect.stringContaining('review-payments')])

  await office.database.orm.em.fork().transactional(acceptDatabase)
  await office.watch()
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 2 }])
})

test('a dump that is restored while the watcher runs is noticed before the next payment is credited', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  await office.pay(buyer.wallet, '3')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 1 })

  await sql(office.database.orm.em.fork(), `update chain_progress set settled_table = '1'`)
  await office.pay(buyer.wallet, '3')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 1 })
  expect(office.alerts).toMatchObject([expect.stringContaining('review-payments')])
})

test('a dump that is restored while a payment is being verified is noticed before the payment is credited', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  await office.pay(buyer.wallet, '3')
  await office.chain.mine(office.confirmations)
  const rpc = await startFaultyRpc(office.chain.url)
  rpc.fail(async ({ method }) => {
    if (method === 'eth_getTransactionReceipt')
      await sql(office.database.orm.em.fork(), `update chain_progress set settled_table = '1'`)
    return undefined
  })
  const watcher = office.newWatcher({
    endpoints: [new RpcEndpoint(rpc.url, { chainId: PAYMENT_CHAIN_ID, token: { address: USDT_ADDRESS, decimals: 18 } })],
  })
  await watcher.catchUp()
  expect(rpc.calls.map(({ method }) => method)).toContain('eth_getTransactionReceipt')
  expect(await office.supply()).toMatchObject({ paid: 0 })
  await watcher.catchUp()
  expect(office.alerts).toMatchObject([expect.stringContaining('review-payments')])
})

test('a restored database credits nothing before either where the provider does not tell the number of its server', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const superuser = office.database.superuser.em.fork()
  await sql(superuser, 'revoke execute on function pg_control_system() from public')
  onTestFinished(async () => void (await sql(superuser, 'grant execute on function pg_control_system() to public')))
  const accept = () => office.database.orm.em.fork().transactional(acceptDatabase)
  await accept()
  await office.pay(buyer.wallet, '3')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 1 })

  await sql(office.database.orm.em.fork(), `update chain_progress set settled_table = '1'`)
  expect(await office.database.orm.em.fork().transactional(claimDatabase)).toBe(false)
  // The dump comes from a server whose number was known.
  await accept()
  await sql(office.database.orm.em.fork(), `update chain_progress set settled_in = '7712412383613968418/16384'`)
  expect(await office.database.orm.em.fork().transactional(claimDatabase)).toBe(false)
  await accept()
  expect(await office.database.orm.em.fork().transactional(claimDatabase)).toBe(true)
})

test('until an operator has named the refunded wallets, a restored database approves no purchase with a payment', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '2')
  await office.confirm()
  await sql(office.database.orm.em.fork(), `update chain_progress set settled_table = '1'`)
  expect((await reviews(office)).deposits).toMatchObject([{ mayBeRefunded: true }])
  await expect(approve(office.one.browser, id)).rejects.toMatchObject({ status: 409, code: 'refund_unknown' })
  // Nor one whose payment was read since, and waits for the operator.
  const other = await office.openBuyer()
  const unread = await office.openPurchase(other, 2, '6')
  await office.pay(other.wallet, '6')
  await office.confirm()
  await expect(approve(office.one.browser, unread.id)).rejects.toMatchObject({ status: 409, code: 'refund_unknown' })
  expect(await office.supply()).toMatchObject({ paid: 0 })

  await office.database.orm.em.fork().transactional(acceptDatabase)
  expect((await reviews(office)).deposits[0]).toMatchObject({ mayBeRefunded: false })
})

test('a database whose mark was made by an earlier release goes on crediting', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  await office.database.orm.em.fork().transactional(acceptDatabase)
  await sql(office.database.orm.em.fork(), 'update chain_progress set settled_table = null')
  await office.pay(buyer.wallet, '6')
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 2 }])
  expect(await sql(office.database.orm.em.fork(), 'select from chain_progress where settled_table is null')).toEqual([])
})

test('a part that may have been refunded before the dump was restored completes no purchase', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '2')
  await office.confirm()
  const until = new Date(Number((await office.chain.client.getBlock()).timestamp) * SECOND)
  const wallets = [buyer.wallet.address.toLowerCase() as Address]
  await office.database.orm.em.fork().transactional((em) => reviewWallets(em, { wallets, until }))
  await office.chain.mineAt(new Date(until.getTime() + MINUTE))
  await office.pay(buyer.wallet, '4')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 0 })
  expect(await office.deposits()).toMatchObject([{ state: 'review' }, { state: 'review' }])
  expect((await reviews(office)).deposits.map(({ amount, mayBeRefunded }) => [amount, mayBeRefunded])).toEqual([
    [parseAmount('2'), true],
    [parseAmount('4'), false],
  ])
  const id = (await office.purchases(buyer))[0]!.id
  await expect(approve(office.one.browser, id)).rejects.toMatchObject({ status: 409, code: 'refund_unknown' })

  await office.pay(buyer.wallet, '2')
  await office.confirm()
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('what waits for review reaches to the newest block, also if the clock of the machine is slow', async () => {
  const { chain, database, server } = await startBackOffice()
  const { timestamp } = await chain.client.getBlock()
  const newest = new Date((Math.max(Math.floor(Date.now() / SECOND), Number(timestamp)) + 60) * SECOND)
  await chain.mineAt(newest)
  const now = new Date(newest.getTime() - 2 * MINUTE)
  const em = database.orm.em.fork()
  const endpoints = paymentEndpoints(server.services.config)
  expect(await readNewestTime(em, { endpoints, now })).toEqual(newest)
  const down = new RpcEndpoint('http://127.0.0.1:1', { chainId: PAYMENT_CHAIN_ID })
  await expect(readNewestTime(em, { endpoints: [down], now })).rejects.toThrow('Too few endpoints')

  // One endpoint alone cannot send all later payments to review.
  const liar = await startFaultyRpc(chain.url)
  liar.fail(({ method }) =>
    method === 'eth_getBlockByNumber' ? { rewrite: (block: object) => ({ ...block, timestamp: '0xf4865700' }) } : undefined,
  )
  const lying = new RpcEndpoint(liar.url, { chainId: PAYMENT_CHAIN_ID })
  expect(await readNewestTime(em, { endpoints: [lying, ...endpoints], now })).toEqual(newest)
})

test('a restored database credits no payment that may have been refunded after the dump; later ones it does', async () => {
  const office = await startBackOffice()
  const [buyer, other] = [await office.openBuyer(), await office.openBuyer()]
  const hash = await office.pay(buyer.wallet, '6')
  await office.pay(other.wallet, '3')
  const back = await office.sendBack(buyer.wallet.address, '6')
  const until = new Date(Number((await office.chain.client.getBlock()).timestamp) * SECOND)
  const em = office.server.services.orm.em.fork()
  const wallets = [buyer.wallet.address.toLowerCase() as Address]
  await em.transactional((em) => reviewWallets(em, { wallets, until }))
  await office.confirm()
  expect(await office.purchases(buyer)).toEqual([])
  expect(await office.purchases(other)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 1 }])
  expect((await reviews(office)).deposits).toMatchObject([{ reason: 'unmatched', probableUserEmail: buyer.user.email }])
  const [told] = await mailsTo(office.database, buyer.user.email)
  expect(told!.text).toMatch(/^Our database was restored from a backup after it arrived\./)
  await refunded(office, await office.depositOf(hash), back)

  await office.chain.mineAt(new Date(until.getTime() + MINUTE))
  await office.pay(buyer.wallet, '3')
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 1 }])
})

test('a payment that a purchase was confirmed with before it was read pays for it, also from a wallet that was refunded before a restore', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '6')
  const until = new Date(Number((await office.chain.client.getBlock()).timestamp) * SECOND)
  const wallets = [buyer.wallet.address.toLowerCase() as Address]
  await office.database.orm.em.fork().transactional((em) => reviewWallets(em, { wallets, until }))
  await manualConfirm(office.one.browser, id, hash, { override: true, notes: 'Looked up.' })
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId: id }])
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('a refund that only one of two endpoints shows closes no deposit', async () => {
  let faulty: FaultyRpc | undefined
  const office = await startBackOffice({
    rpcUrls: async (chain) => [(faulty = await startFaultyRpc(chain.url)).url, chain.url],
  })
  const { id, stranger } = await unmatched(office)
  const back = await office.sendBack(stranger.address, '1')
  lieAboutAmount(faulty!, { hash: back, amount: parseAmount('6')! })
  await expect(refunded(office, id, back)).rejects.toMatchObject({ status: 503, code: 'chain_unavailable' })
  expect(await office.deposits()).toMatchObject([{ state: 'review' }])
})

test('a deposit ignored with a reason is kept but no longer listed', async () => {
  const office = await startBackOffice()
  const { id } = await unmatched(office)
  expect(await office.send(`/api/admin/deposits/${id}/ignore`, { note: ' ' })).toBe(400)
  await ignore(office, id)
  expect(await office.deposits()).toMatchObject([{ state: 'ignored' }])
  expect(await reviews(office)).toMatchObject({ purchases: [], deposits: [], groups: [], unmatchedUsdt: 0n, totalCount: 0 })
  await expect(ignore(office, id)).rejects.toMatchObject(closed)
  expect((await office.log('deposit.'))[0]).toMatchObject({
    action: 'deposit.ignore',
    after: { state: 'ignored', notes: 'Dust.' },
  })
})

test('who was told that payments wait for a person is told when they are ignored: their owner, and who reported one', async () => {
  const office = await startBackOffice()
  const [buyer, payer] = [await office.openBuyer(), await office.openBuyer()]
  const hashes = [await office.pay(payer.wallet, '7'), await office.pay(payer.wallet, '1')]
  await buyer.grantMark()
  const { id: purchaseId } = await office.post(buyer, { quantity: 2, usdt: '6', hash: hashes[0]! })
  await office.confirm()
  const [id, other] = [await office.depositOf(hashes[0]!), await office.depositOf(hashes[1]!)]
  await office.call(contract.ignoreDeposit, { params: { id }, body: { note: 'Both are tests.', others: [other] } })

  const closing =
    'Our team has reviewed and closed it: it bought no nodes, and no refund of it is recorded.\n\nIf you think this is wrong, please contact us.'
  const [own, ...earlier] = await mailsTo(office.database, payer.user.email)
  expect(own).toMatchObject({ subject: 'Your payment of 8 USDT was not used', text: expect.stringContaining(closing) })
  for (const hash of hashes) expect(own!.text).toContain(`Transaction: ${hash}`)
  expect(earlier.map(({ subject }) => subject)).not.toContain(own!.subject)
  const [told] = await mailsTo(office.database, buyer.user.email)
  expect(told).toMatchObject({ subject: 'A payment for your purchase was not used', text: expect.stringContaining(closing) })
  expect(told!.text).toContain(`Transaction: ${hashes[0]}\n`)
  expect(told!.text).not.toContain(hashes[1])
  expect(`${own!.text}${told!.text}`).not.toContain('Both are tests.')
  expect(await office.purchases(buyer)).toMatchObject([{ id: purchaseId, paymentStatus: 'manual_review' }])
})

test.each(['refunded', 'ignored', 'used for another'] as const)(
  'each account that reported a payment is told that it waits, and once that it is %s',
  async (outcome) => {
    const office = await startBackOffice()
    const exchange = await office.openStranger()
    const buyers = [await office.openBuyer(), await office.openBuyer()] as const
    const friend = await office.openBuyer()
    // Reported before it is read.
    const hash = await office.pay(exchange, '7')
    const purchaseIds: string[] = []
    for (const buyer of buyers) {
      await buyer.grantMark()
      purchaseIds.push((await office.post(buyer, { quantity: 2, usdt: '6', hash })).id)
    }
    await office.confirm()
    const id = await office.depositOf(hash)
    const back = await office.sendBack(exchange.address, '7')
    if (outcome === 'refunded') await refunded(office, id, back)
    else if (outcome === 'ignored') await ignore(office, id)
    else await assign(office, id, { userEmail: friend.user.email, quantity: 2 })

    for (const [index, { user }] of buyers.entries()) {
      const [told, waits, ...others] = await mailsTo(office.database, user.email)
      expect(others).toEqual([])
      expect(waits).toMatchObject({
        subject: 'Your payment of 7 USDT waits for our team',
        text: expect.stringContaining(`Transaction: ${hash}\nPurchase: ${purchaseIds[index]}\n`),
      })
      expect(told!.subject).toBe(
        outcome === 'refunded' ? 'A payment for your purchase was sent back' : 'A payment for your purchase was not used',
      )
      expect(told!.text).toContain(hash)
      expect(told!.text).not.toContain(friend.user.email)
    }
  },
)

test("a payment whose first reporter's purchase is just being closed is attached to that of the next one", async () => {
  const office = await startBackOffice({ isAudited: false })
  const exchange = await office.openStranger()
  const [first, next] = [await office.openBuyer(), await office.openBuyer()]
  const hash = await office.pay(exchange, '7')
  const purchaseIds: string[] = []
  for (const buyer of [first, next]) {
    await buyer.grantMark()
    purchaseIds.push((await office.post(buyer, { quantity: 2, usdt: '6', hash })).id)
    office.server.clock.advance(1_000)
  }
  const { orm } = office.server.services
  const closing = orm.em.fork()
  await closing.begin()
  await sql(closing, `update purchases set status = 'cancelled', closed_at = now() where id = $1`, [purchaseIds[0]])
  const settling = office.confirm()
  await untilLockWaits({ orm })
  await closing.commit()
  await settling

  expect(await office.deposits()).toMatchObject([{ state: 'review', reason: 'wrong_wallet', purchaseId: purchaseIds[1] }])
  expect((await mailsTo(office.database, next.user.email))[0]).toMatchObject({
    subject: 'Your payment of 7 USDT waits for our team',
  })
})

test('who reported a payment that becomes final only after their purchase was closed is told that it waits', async () => {
  const office = await startBackOffice()
  const exchange = await office.openStranger()
  const buyer = await office.openBuyer()
  const hash = await office.pay(exchange, '7')
  await buyer.grantMark()
  const { id } = await office.post(buyer, { quantity: 2, usdt: '6', hash })
  await office.call(cancelPurchase, { params: { id }, body: { reason: 'Not paid in time.' } })
  await office.confirm()

  expect(await office.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched', purchaseId: null }])
  expect((await mailsTo(office.database, buyer.user.email))[0]).toMatchObject({
    subject: 'Your payment of 7 USDT waits for our team',
    text: expect.stringContaining(
      'The transaction you reported was sent from a wallet other than the one of your purchase.',
    ) as string,
  })
})

test('a message about two payments of one transaction names it once', async () => {
  const office = await startBackOffice()
  const payer = await office.openBuyer()
  const [hash, other] = [await office.pay(payer.wallet, '7'), await office.pay(payer.wallet, '8')]
  await office.confirm()
  const ids = await Promise.all([hash, other].map(office.depositOf))
  const { orm } = office.server.services
  await sql(orm.em.fork(), 'update deposits set transaction_hash = $1, ordinal = 1 where id = $2', [hash, ids[1]])

  await together(office, ids).ignore()

  const [told] = await mailsTo(office.database, payer.user.email)
  expect(told!.subject).toBe('Your payment of 15 USDT was not used')
  expect(told!.text.split(hash)).toHaveLength(2)
})

test('the ids of deposits are case-insensitive', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const [{ id }, other] = [await unmatched(office), await unmatched(office)]

  await assign(office, id.toUpperCase(), { purchaseId: purchaseId.toUpperCase() })
  await ignore(office, other.id.toUpperCase())

  expect((await office.deposits()).map(({ state }) => state).toSorted()).toEqual(['assigned', 'ignored'])
  expect((await office.log('deposit.')).map(({ target }) => target)).toEqual([`deposit:${id}`, `deposit:${other.id}`])
})

test('a deposit that is not final yet cannot be decided on', async () => {
  const office = await startBackOffice()
  const stranger = await office.openStranger()
  const hash = await office.pay(stranger, '6')
  await office.watch()
  await expect(ignore(office, await office.depositOf(hash))).rejects.toMatchObject({ ...closed, details: { state: 'seen' } })
})

test('of concurrent decisions on a deposit, one succeeds', async () => {
  const office = await startBackOffice()
  const [buyer, friend] = [await office.openBuyer(), await office.openBuyer()]
  for (let round = 0; round < 4; round += 1) {
    const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
    const { id, stranger } = await unmatched(office)
    const back = await office.sendBack(stranger.address, '6')
    const other = { call: office.other.browser.call }
    const { done, refused } = await outcomes([
      assign(office, id, { purchaseId }),
      assign(other, id, { userEmail: friend.user.email, quantity: 2 }),
      refunded(other, id, back),
      ignore(office, id),
    ])
    expect({ done, refused }).toEqual({ done: 1, refused: ['deposit_closed', 'deposit_closed', 'deposit_closed'] })
  }
  const { paid } = await office.supply()
  expect(paid).toBe((await office.deposits()).filter(({ state }) => state === 'assigned').length * 2)
})

test('a part of an open purchase is not refunded, since the rest of the money would complete it', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '2')
  await office.confirm()
  const id = await office.depositOf(hash)
  const back = await office.sendBack(buyer.wallet.address, '2')
  await expect(refunded(office, id, back)).rejects.toMatchObject({ status: 409, code: 'purchase_open' })

  await office.call(cancelPurchase, { params: { id: purchaseId }, body: { reason: 'Underpaid.' } })
  await refunded(office, id, back)
  await office.pay(buyer.wallet, '4')
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ state: 'refunded' }, { state: 'review' }])
  expect(await office.supply()).toMatchObject({ paid: 0, reserved: 0 })
})

test.each(['refunded', 'assigned elsewhere'])(
  'once a part of an overpaid purchase is %s, the rest is a part like any other and is not refunded',
  async (how) => {
    const office = await startBackOffice()
    const [buyer, friend] = [await office.openBuyer(), await office.openBuyer()]
    const { id: purchaseId } = await office.openPurchase(buyer, 100, '300')
    const ids: string[] = []
    for (const usdt of ['200', '150']) {
      const hash = await office.pay(buyer.wallet, usdt)
      await office.confirm()
      ids.push(await office.depositOf(hash))
    }
    expect(await office.deposits()).toMatchObject([{ reason: 'overpaid' }, { reason: 'overpaid' }])

    if (how === 'refunded') await refunded(office, ids[0]!, await office.sendBack(buyer.wallet.address, '200'))
    else await assign(office, ids[0]!, { userEmail: friend.user.email, quantity: 1 })
    expect((await office.deposits())[1]).toMatchObject({ state: 'review', reason: 'underpaid', purchaseId })
    const back = await office.sendBack(buyer.wallet.address, '150')
    await expect(refunded(office, ids[1]!, back)).rejects.toMatchObject({ status: 409, code: 'purchase_open' })
  },
)

test('of a cancellation with its refund and the rest of the money, the first decides', async () => {
  const office = await startBackOffice()
  const buyers = await Promise.all(Array.from({ length: 5 }, () => office.openBuyer()))
  const waiting: { id: string; purchaseId: string; back: Hash }[] = []
  for (const buyer of buyers) {
    const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
    const hash = await office.pay(buyer.wallet, '2')
    await office.confirm()
    const back = await office.sendBack(buyer.wallet.address, '2')
    waiting.push({ id: await office.depositOf(hash), purchaseId, back })
    await office.pay(buyer.wallet, '4')
  }
  await office.watch()
  await office.chain.mine(office.confirmations)

  const cancelAndRefund = async ({ id, purchaseId, back }: (typeof waiting)[number]) => {
    await office.call(cancelPurchase, { params: { id: purchaseId }, body: { reason: 'Underpaid.' } })
    await refunded(office, id, back)
  }
  const { refused } = await outcomes([office.watch(), ...waiting.map(cancelAndRefund)])
  for (const code of refused) expect(code).toMatch(/^(purchase_closed|deposit_closed|request_in_progress)$/)
  await office.confirm()

  const states = (await office.deposits()).map(({ amount, state }) => `${amount} ${state}`)
  const [given, kept] = [
    states.filter((state) => state === '2 refunded').length,
    states.filter((state) => state === '2 matched').length,
  ]
  expect(given + kept).toBe(5)
  expect(states.filter((state) => state === '4 matched')).toHaveLength(kept)
  expect(states.filter((state) => state === '4 review')).toHaveLength(given)
  expect(await office.supply()).toMatchObject({ paid: kept * 2, reserved: 0 })
})

test('a watcher waiting for a decision on an earlier deposit does not lock rows that the decision needs', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const first = await office.pay(buyer.wallet, '2')
  await office.confirm()
  const id = await office.depositOf(first)
  await office.pay(buyer.wallet, '4')
  await office.watch()
  await office.chain.mine(office.confirmations)

  const { orm } = office.server.services
  const deciding = orm.em.fork()
  await deciding.begin()
  await sql(deciding, 'select from deposits where id = $1 for update', [id])
  const settling = office.watch()
  await untilLockWaits({ orm })
  // The decision can lock its rows without waiting.
  await sql(deciding, 'select from purchases where id = $1 for update nowait', [purchaseId])
  await deciding.rollback()
  await settling
  expect((await office.deposits()).map(({ state }) => state)).toEqual(['matched', 'matched'])
})

test('a decision updates the buyer’s pages and the public figures', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const { id } = await unmatched(office)
  const em = office.server.services.orm.em.fork()
  await sql(em, 'delete from change_events')

  await assign(office, id, { purchaseId })
  const events = await sql<{ user_id: string | null; keys: string[] }>(em, 'select user_id, keys from change_events')
  expect(events.filter((row) => row.user_id === buyer.user.id).flatMap(({ keys }) => keys)).toEqual(
    expect.arrayContaining(['/api/node-purchases', '/api/user/nodes']),
  )
  expect(events.filter((row) => row.user_id === null).flatMap(({ keys }) => keys)).toContain('/api/stats/nodes')
})

/** The queries of the account that its open pages were told to repeat; they are told once. */
async function toldTo(office: BackOffice, userId: string): Promise<string[]> {
  const em = office.server.services.orm.em.fork()
  const rows = await sql<{ keys: string[] }>(em, 'delete from change_events where user_id = $1 returning keys', [userId])
  return rows.flatMap(({ keys }) => keys)
}

test('the owner’s pages are told of a payment that waits for review, and of its refund', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const hash = await office.pay(buyer.wallet, '1')
  await toldTo(office, buyer.user.id)
  await office.confirm()
  expect(await toldTo(office, buyer.user.id)).toContain(listPayments.path)
  await refunded(office, await office.depositOf(hash), await office.sendBack(buyer.wallet.address, '1'))
  expect(await toldTo(office, buyer.user.id)).toContain(listPayments.path)
})

const restore = ({ call }: Caller, id: string) =>
  call(contract.restoreNodes, { params: { id }, body: { note: 'She pays again.' } })

/** Mines the sent transactions until they are final and runs the watcher. */
async function settle({ chain, watch }: BackOffice) {
  await chain.mine(3)
  await watch()
}

/** Two nodes whose final payment has vanished. Its signed transaction can be mined again. */
async function orphaned() {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const buyer = await office.openBuyer()
  await office.reserve(buyer, 2)
  const hash = await office.pay(buyer.wallet, '6')
  await settle(office)
  const bytes = await office.chain.signedBytes(hash)
  await office.chain.reorganize(3)
  await office.chain.mine()
  await office.watch()
  const { orm } = office.server.services
  const sendAgain = () => office.chain.client.sendRawTransaction({ serializedTransaction: bytes })
  return {
    ...office,
    buyer,
    id: await office.depositOf(hash),
    sendAgain,
    async mineAgain() {
      await sendAgain()
      await settle(office)
    },
    frozen: async () => (await sql(orm.em.fork(), 'select from nodes where frozen_at is not null')).length,
  }
}

test('nodes of a vanished payment are thawed by an administrator, and a later payment for them buys nothing else', async () => {
  const office = await orphaned()
  const { id } = office
  const [waiting] = (await reviews(office)).deposits
  expect(waiting).toMatchObject({ id, reason: 'orphaned', probableUserEmail: office.buyer.user.email })
  expect(await office.frozen()).toBe(2)
  const titles = async () => (await mailsTo(office.database, office.buyer.user.email)).map(({ subject }) => subject)
  expect((await titles())[0]).toBe('Your nodes are on hold: their payment has vanished')
  const orphan = { ...closed, details: { state: 'orphaned' } }
  await expect(assign(office, id, { userEmail: office.buyer.user.email, quantity: 2 })).rejects.toMatchObject(orphan)
  await expect(refunded(office, id, `0x${'a'.repeat(64)}`)).rejects.toMatchObject(orphan)

  await restore(office, id)
  await expect(restore(office, id)).rejects.toMatchObject(closed)
  expect(await office.frozen()).toBe(0)
  expect((await mailsTo(office.database, office.buyer.user.email))[0]).toMatchObject({
    subject: 'Your nodes earn again',
    text: expect.stringContaining('a transfer of the same amount from the same wallet pays for them and buys no others.'),
  })
  expect(await office.deposits()).toMatchObject([{ state: 'seen', purchaseId: null, blockNumber: null }])
  expect((await reviews(office)).deposits).toEqual([])
  expect(await office.log('deposit.restore')).toMatchObject([
    { before: { state: 'orphaned' }, after: { state: 'seen', purchaseId: expect.any(String), notes: 'She pays again.' } },
  ])

  await office.mineAgain()
  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId: expect.any(String) }])
  expect(await office.nodeNumbers()).toEqual([1, 2])
})

test('nodes that are thawed while their payment is mined again are bought once', async () => {
  const office = await orphaned()
  await office.sendAgain()
  await office.chain.mine(3)

  const { refused } = await outcomes([office.watch(), restore(office, office.id)])

  for (const code of refused) expect(code).toBe('deposit_closed')
  await settle(office)
  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId: expect.any(String) }])
  expect(await office.frozen()).toBe(0)
  expect(await office.nodeNumbers()).toEqual([1, 2])
})

test('a payment that has come back to review is not closed for good by who wants to leave its nodes frozen', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const hash = await office.pay(await office.openStranger(), '6')
  await settle(office)
  const id = await office.depositOf(hash)
  const serializedTransaction = await office.chain.signedBytes(hash)
  await office.chain.reorganize(3)
  await office.chain.mine()
  await office.watch()
  await office.chain.client.sendRawTransaction({ serializedTransaction })
  await office.chain.mine()
  await office.watch()
  expect((await reviews(office)).deposits).toMatchObject([{ id, reason: 'orphaned' }])
  await settle(office)
  const send = (state: 'review' | 'orphaned') =>
    office.call(contract.ignoreDeposit, { params: { id }, body: { note: 'Frozen.', state } })
  await expect(send('orphaned')).rejects.toMatchObject({ status: 409, code: 'deposit_changed' })
  expect(await office.deposits()).toMatchObject([{ state: 'review' }])
  await send('review')
  expect(await office.deposits()).toMatchObject([{ state: 'ignored' }])
})

test('nodes of a vanished payment that is ignored stay frozen until the payment is mined again', async () => {
  const office = await orphaned()
  expect(await toldTo(office, office.buyer.user.id)).toContain('/api/user/nodes')
  await ignore(office, office.id)
  const [left] = await mailsTo(office.database, office.buyer.user.email)
  expect(left).toMatchObject({ subject: 'Your nodes stay on hold', text: expect.stringContaining('Nodes: 1–2\n') })
  expect((await reviews(office)).deposits).toEqual([])
  expect(await office.frozen()).toBe(2)
  await toldTo(office, office.buyer.user.id)

  await office.mineAgain()
  expect(await office.deposits()).toMatchObject([{ state: 'matched' }])
  expect(await office.frozen()).toBe(0)
  expect(await toldTo(office, office.buyer.user.id)).toContain('/api/user/nodes')
})

interface RestoredParts {
  vanished: 1 | 2
  /** Mined again before the nodes are restored. */
  early?: boolean
  parts?: readonly [string, string]
}

/** Ten nodes that were paid in two parts of 30 USDT. The last or both have vanished, and the nodes were restored. */
async function restoredParts({ vanished, early = false, parts = ['21', '9'] }: RestoredParts) {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 10, '30')
  const first = await office.pay(buyer.wallet, parts[0])
  if (vanished === 1) await settle(office)
  const hashes = [first, await office.pay(buyer.wallet, parts[1])].slice(-vanished)
  await settle(office)
  expect(await office.supply()).toMatchObject({ paid: 10 })
  const signed = await Promise.all(hashes.map(office.chain.signedBytes))
  await office.chain.reorganize(3)
  await office.chain.mine()
  await office.watch()
  const sendAgain = signed.map((serializedTransaction) => () => office.chain.client.sendRawTransaction({ serializedTransaction }))
  if (early) {
    for (const send of sendAgain) await send()
    await office.chain.mine()
    await office.watch()
  }
  for (const hash of hashes) await restore(office, await office.depositOf(hash))
  return { office, buyer, purchaseId, hashes, sendAgain }
}

test.each(['mined again', 'replaced by an equal transfer'] as const)(
  'a part that vanished and whose nodes were restored pays for its purchase alone when it is %s',
  async (how) => {
    const { office, buyer, purchaseId, sendAgain } = await restoredParts({ vanished: 1 })

    if (how === 'mined again') await sendAgain[0]!()
    else await office.pay(buyer.wallet, '9')
    await settle(office)

    expect((await office.deposits()).filter(({ state }) => state !== 'seen')).toMatchObject([
      { state: 'matched', amount: '21', purchaseId },
      { state: 'matched', amount: '9', purchaseId },
    ])
    expect(await office.supply()).toMatchObject({ paid: 10 })
  },
)

test('who pays a part of what is owed is not asked for a rest that would replace a vanished payment', async () => {
  const { office, buyer, purchaseId } = await restoredParts({ vanished: 1 })
  const { id } = await office.openPurchase(buyer, 4, '12')
  await approve(office.one.browser, id)

  await office.pay(buyer.wallet, '3')
  await settle(office)

  const [told] = await mailsTo(office.database, buyer.user.email)
  expect(told).toMatchObject({
    subject: 'Your payment of 3 USDT waits for our team',
    text: expect.stringContaining("please don't pay again."),
  })
  await office.pay(buyer.wallet, '9')
  await settle(office)
  expect(await office.deposits()).toContainEqual(expect.objectContaining({ amount: '9', state: 'matched', purchaseId }))
})

test('a payment that is kept for restored nodes confirms no other purchase when it is mined again', async () => {
  const { office, buyer, purchaseId, hashes, sendAgain } = await restoredParts({ vanished: 1 })
  const { id } = await office.openPurchase(buyer, 3, '9')
  await sendAgain[0]!()
  await office.chain.mine()
  const confirm = () => manualConfirm(office.one.browser, id, hashes[0]!, { override: true, notes: 'Her payment.' })
  await expect(confirm(), 'before it is read').rejects.toMatchObject({ code: 'transaction_used' })
  await office.watch()
  await expect(confirm()).rejects.toMatchObject({ code: 'transaction_used' })

  await settle(office)
  expect(await office.deposits()).toMatchObject([{ amount: '21' }, { amount: '9', state: 'matched', purchaseId }])
  expect(await office.supply()).toMatchObject({ paid: 10 })
})

test('a part whose nodes were restored is a payment like any other if it is mined again with another amount', async () => {
  const { office, purchaseId, hashes, sendAgain } = await restoredParts({ vanished: 1 })

  // The chain cannot mine a transaction again with another amount, so the row is changed.
  await sql(office.server.services.orm.em.fork(), 'update deposits set amount = amount / 3 where transaction_hash = $1', hashes)
  await sendAgain[0]!()
  await settle(office)

  const [, other] = await office.deposits()
  expect(other).toMatchObject({ state: 'matched', amount: '9' })
  expect(other!.purchaseId).not.toBe(purchaseId)
  expect(await office.supply()).toMatchObject({ paid: 13 })
})

test('a part whose nodes are restored once it is mined again, before it is final, pays for its purchase alone', async () => {
  const { office, purchaseId } = await restoredParts({ vanished: 1, early: true })
  expect(await office.deposits()).toMatchObject([{ state: 'matched' }, { state: 'seen' }])
  await settle(office)
  await office.watch()
  expect(await office.deposits()).toMatchObject([
    { state: 'matched', amount: '21', purchaseId },
    { state: 'matched', amount: '9', purchaseId },
  ])
  expect(await office.supply()).toMatchObject({ paid: 10 })
})

test('a part of less than a tenth of a node pays for its purchase when it is mined again', async () => {
  const { office, purchaseId, sendAgain } = await restoredParts({ vanished: 1, parts: ['29.8', '0.2'] })
  await sendAgain[0]!()
  await settle(office)
  expect(await office.deposits()).toMatchObject([
    { state: 'matched', amount: '29.8', purchaseId },
    { state: 'matched', amount: '0.2', purchaseId },
  ])
})

test('an equal transfer more than 30 days later buys nodes of its own, whatever was kept before', async () => {
  const { office, buyer, purchaseId } = await restoredParts({ vanished: 1 })
  await sql(office.server.services.orm.em.fork(), `update purchases set opened_at = opened_at - interval '31 days'`)
  await office.pay(buyer.wallet, '9')
  await settle(office)
  expect((await office.deposits()).filter((deposit) => deposit.purchaseId === purchaseId)).toMatchObject([{ amount: '21' }])
  expect(await office.supply()).toMatchObject({ paid: 13 })
})

test('both parts of a payment vanish, are restored, and pay for their purchase alone when they are mined again', async () => {
  const { office, purchaseId, sendAgain } = await restoredParts({ vanished: 2 })

  for (const send of sendAgain) {
    await send()
    await settle(office)
  }
  expect(await office.deposits()).toMatchObject([
    { state: 'matched', purchaseId },
    { state: 'matched', purchaseId },
  ])
  expect(await office.supply()).toMatchObject({ paid: 10 })
})

test('one transfer of the whole amount pays for restored nodes; a part that vanished buys others when it is mined again', async () => {
  const { office, buyer, purchaseId, sendAgain } = await restoredParts({ vanished: 2 })

  // Takes the place of the first part in the wallet's order of transactions.
  await office.pay(buyer.wallet, '30')
  await settle(office)
  await sendAgain[1]!()
  await settle(office)
  const paid = (await office.deposits()).filter((deposit) => deposit.purchaseId === purchaseId)
  expect(paid).toMatchObject([{ amount: '30' }])
  expect(await office.supply()).toMatchObject({ paid: 13 })
})

/** A refunded payment that has vanished. Its signed transaction can be mined again. */
async function vanishedRefund(options: Parameters<typeof startBackOffice>[0] = {}) {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2, ...options })
  const buyer = await office.openBuyer()
  const hash = await office.pay(buyer.wallet, '4')
  await settle(office)
  const id = await office.depositOf(hash)
  const serializedTransaction = await office.chain.signedBytes(hash)
  const back = await office.sendBack(buyer.wallet.address, '4')
  await office.chain.mine(2)
  await refunded(office, id, back)

  const { blockNumber } = await office.chain.receipt(hash)
  await office.chain.reorganize(Number((await office.chain.client.getBlockNumber()) - blockNumber) + 1)
  await office.chain.mine()
  await office.watch()
  expect(await office.deposits()).toMatchObject([{ state: 'orphaned' }])
  await office.set('node_price_usdt', '4')
  return { office, id, hash, sendAgain: () => office.chain.client.sendRawTransaction({ serializedTransaction }) }
}

test('a refunded payment that vanished is not restored, and pays for nothing when it is mined again', async () => {
  const { office, id, sendAgain } = await vanishedRefund()
  await expect(restore(office, id)).rejects.toMatchObject({ status: 409, code: 'nothing_to_restore' })

  await sendAgain()
  await office.chain.mine()
  await office.watch()
  expect((await reviews(office)).deposits).toMatchObject([{ id, reason: 'orphaned' }])
  await expect(restore(office, id)).rejects.toMatchObject({ status: 409, code: 'nothing_to_restore' })
  await settle(office)
  expect(await office.deposits()).toMatchObject([{ state: 'refunded' }])
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('a refunded payment that vanished is not restored while endpoints disagree on the receipt of its transaction, mined again', async () => {
  let faulty: FaultyRpc | undefined
  const { office, id, hash, sendAgain } = await vanishedRefund({
    rpcUrls: async (chain) => [(faulty = await startFaultyRpc(chain.url)).url, chain.url],
  })
  faulty!.fail(({ method, params }) =>
    method === 'eth_getTransactionReceipt' && params[0] === hash
      ? { rewrite: (receipt: object) => receipt && { ...receipt, status: '0x0' } }
      : undefined,
  )
  await sendAgain()
  await settle(office)
  await settle(office)
  expect(await office.deposits()).toMatchObject([{ state: 'orphaned', blockNumber: expect.any(Number) }])

  await expect(restore(office, id)).rejects.toMatchObject({ status: 503, code: 'chain_unavailable' })
  faulty!.heal()
  await settle(office)
  await settle(office)
  expect(await office.deposits()).toMatchObject([{ state: 'refunded' }])
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('a payment in review that vanished is restored once it is final again with another amount, and pays what it is', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const hash = await office.pay(buyer.wallet, '6')
  const em = () => office.server.services.orm.em.fork()
  // The chain cannot mine a transaction again with another amount, so the row is changed.
  await office.watch()
  await office.chain.mine()
  await office.watch()
  const id = await office.depositOf(hash)
  const bytes = await office.chain.signedBytes(hash)
  await sql(
    em(),
    `update deposits set state = 'orphaned', state_before_orphaned = 'review', review_reason = 'underpaid',
    amount = amount / 2, block_number = null, block_hash = null, block_time = null, log_index = null where id = $1`,
    [id],
  )
  await office.chain.reorganize(1)
  await office.watch()

  await office.chain.client.sendRawTransaction({ serializedTransaction: bytes })
  await settle(office)
  expect(await office.deposits()).toMatchObject([{ state: 'orphaned', purchaseId }])
  await restore(office, id)
  await office.watch()
  await office.watch()
  expect(await office.deposits()).toMatchObject([{ state: 'matched', purchaseId }])
  expect(await office.supply()).toMatchObject({ paid: 2, reserved: 0 })
})

test('who was told that a payment waits for a person is told when it is closed because it has vanished', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const buyer = await office.openBuyer()
  const hash = await office.pay(buyer.wallet, '7')
  await settle(office)
  await office.chain.reorganize(3)
  await office.chain.mine()
  await office.watch()
  await ignore(office, await office.depositOf(hash))

  const [told] = await mailsTo(office.database, buyer.user.email)
  expect(told).toMatchObject({
    subject: 'Your payment of 7 USDT was not used',
    text: expect.stringMatching(/^It has vanished from BNB Smart Chain, and our team has closed it: it bought no nodes\./),
  })
})

test('a vanished payment in review does not freeze the nodes that another deposit has paid', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const stranger = await office.openStranger()
  const rest = await office.pay(stranger, '6')
  await settle(office)
  await office.pay(buyer.wallet, '2')
  await settle(office)
  await assign(office, await office.depositOf(rest), { purchaseId })

  await office.chain.reorganize(3)
  await office.chain.mine()
  await office.watch()
  expect((await office.deposits()).map(({ state }) => state).toSorted()).toEqual(['assigned', 'orphaned'])
  expect(await sql(office.server.services.orm.em.fork(), 'select from nodes where frozen_at is not null')).toEqual([])
})

const together = ({ call }: Caller, [id, ...others]: readonly string[]) => ({
  ignore: () => call(contract.ignoreDeposit, { params: { id: id! }, body: { note: 'Dust.', others } }),
  refund: (transactionHash: Hash) =>
    call(contract.refundDeposit, { params: { id: id! }, body: { transactionHash, note: 'Sent back.', others } }),
  assign: (userEmail: string, quantity: number) =>
    insist((named) =>
      call(contract.assignDeposit, { params: { id: id! }, body: { userEmail, quantity, note: 'By mail.', others, ...named } }),
    ),
})

/** Deposits of one sender in review, in their order. */
async function several(office: BackOffice, amounts: readonly string[]) {
  const stranger = await office.openStranger()
  const hashes: Hash[] = []
  for (const usdt of amounts) hashes.push(await office.pay(stranger, usdt))
  await office.confirm()
  return { stranger, ids: await Promise.all(hashes.map((hash) => office.depositOf(hash))) }
}

test('nodes bought by two assigned payments are frozen while one of them has vanished', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const buyer = await office.openBuyer()
  const stranger = await office.openStranger()
  const hashes = [await office.pay(stranger, '3'), await office.pay(stranger, '3')]
  await settle(office)
  const ids = await Promise.all(hashes.map((hash) => office.depositOf(hash)))
  await together(office, ids).assign(buyer.user.email, 2)
  const frozen = async () =>
    (await sql(office.server.services.orm.em.fork(), 'select from nodes where frozen_at is not null')).length

  await office.chain.reorganize(3)
  await office.chain.mine()
  await office.watch()
  expect((await office.deposits()).map(({ state }) => state)).toEqual(['orphaned', 'orphaned'])
  expect(await frozen()).toBe(2)
  await restore(office, ids[0]!)
  expect(await frozen()).toBe(2)
  await restore(office, ids[1]!)
  expect(await frozen()).toBe(0)
})

test('a payment that was kept too long ago does not keep an equal transfer from a newer one', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const buyer = await office.openBuyer()
  const stranger = await office.openStranger()
  const pay = async () => [await office.pay(stranger, '3'), await office.pay(stranger, '3')]
  const stay = await pay()
  await settle(office)
  const vanish = await pay()
  await settle(office)
  const ids = await Promise.all([...stay, ...vanish].map((hash) => office.depositOf(hash)))
  for (const [one, other] of [
    [ids[0]!, ids[2]!],
    [ids[1]!, ids[3]!],
  ])
    await together(office, [one!, other!]).assign(buyer.user.email, 2)
  await office.chain.reorganize(3)
  await office.chain.mine()
  await office.watch()
  for (const id of ids.slice(2)) await restore(office, id)
  const purchaseIds = (await office.deposits()).slice(0, 2).map(({ purchaseId }) => purchaseId)
  await sql(
    office.server.services.orm.em.fork(),
    `update purchases set opened_at = opened_at - interval '31 days'
     where id = (select kept_for from deposits where kept_for is not null order by id limit 1)`,
  )

  await office.pay(stranger, '3')
  await settle(office)

  const [, , , , equal] = await office.deposits()
  expect(equal).toMatchObject({ state: 'matched', purchaseId: expect.toBeOneOf(purchaseIds) })
})

test('a payment of the account that has proven its wallet replaces no kept one of an account that only entered it', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 2 })
  const other = await office.openBuyer({ proven: false })
  await office.openPurchase(other, 2, '6')
  const hash = await office.pay(other.wallet, '6')
  await settle(office)
  await office.chain.reorganize(3)
  await office.chain.mine()
  await office.watch()
  await restore(office, await office.depositOf(hash))
  await sql(office.server.services.orm.em.fork(), 'update users set wallet_address = null')
  const owner = await office.openBuyer({ wallet: other.wallet })

  await office.pay(owner.wallet, '6')
  await settle(office)

  expect(await office.purchases(owner)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 2 }])
})

test('deposits of one sender are one case of the list, which is paged oldest first', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  await office.pay(buyer.wallet, '7')
  await office.confirm()
  office.server.clock.advance(DAY)
  const { stranger, ids } = await several(office, ['4', '5', '6'])
  office.server.clock.advance(DAY)
  for (let i = 0; i < 20; i += 1) await office.pay(await office.openStranger(), '4')
  await office.confirm()

  const first = await reviews(office)
  expect(first).toMatchObject({ totalCount: 23, totalPages: 2, hasNextPage: true, unmatchedUsdt: parseAmount('102') })
  expect(first.purchases).toMatchObject([{ id: purchaseId }])
  expect(first.groups).toHaveLength(19)
  expect(first.groups[1]).toMatchObject({
    sender: stranger.address.toLowerCase(),
    depositIds: expect.arrayContaining(ids),
    count: 3,
    amount: parseAmount('15'),
    affordableNodes: 5,
  })
  expect(first.deposits.filter(({ sender }) => sender === stranger.address.toLowerCase())).toHaveLength(3)
  const last = await reviews(office, 2)
  expect(last).toMatchObject({ purchases: [], totalCount: 23, hasNextPage: false, unmatchedUsdt: parseAmount('102') })
  expect(last.groups).toHaveLength(3)
  expect(last.deposits).toHaveLength(3)
})

test('deposits of one sender are ignored, refunded or assigned together, all of them or none', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const dust = await several(office, ['4', '5'])
  await together(office, dust.ids).ignore()
  await expect(together(office, dust.ids).ignore()).rejects.toMatchObject(closed)

  const parts = await several(office, ['3.5', '5.5'])
  await expect(together(office, [parts.ids[0]!, dust.ids[0]!]).assign(buyer.user.email, 1)).rejects.toMatchObject(closed)
  await together(office, parts.ids).assign(buyer.user.email, 3)
  expect(await office.purchases(buyer)).toMatchObject([
    { paymentStatus: 'confirmed', finalQuantity: 3, purchaseAmountUsdt: parseAmount('9') },
  ])

  const wrong = await several(office, ['5', '4'])
  const one = await office.sendBackAtOnce([[wrong.stranger.address, '4']])
  await expect(together(office, wrong.ids).refund(one)).rejects.toMatchObject({ code: 'transaction_used' })
  expect((await office.deposits()).filter(({ state }) => state === 'review')).toHaveLength(2)
  const both = await office.sendBackAtOnce([
    [wrong.stranger.address, '4'],
    [wrong.stranger.address, '5'],
  ])
  await together(office, wrong.ids).refund(both)
  expect((await office.log('deposit.')).map(({ action }) => action)).toEqual([
    'deposit.ignore',
    'deposit.ignore',
    'deposit.assign',
    'deposit.assign',
    'deposit.refunded',
    'deposit.refunded',
  ])

  const [mine, other] = [await several(office, ['4']), await several(office, ['4'])]
  await expect(together(office, [...mine.ids, ...other.ids]).ignore()).rejects.toMatchObject({
    status: 400,
    serverMessage: 'Only deposits from one sender can be processed together.',
  })

  const half = await several(office, ['4', '5'])
  await ignore(office, half.ids[1]!)
  await expect(together(office, half.ids).assign(buyer.user.email, 3)).rejects.toMatchObject(closed)
  await expect(together(office, [half.ids[0]!, crypto.randomUUID()]).ignore()).rejects.toMatchObject({ status: 404 })
  expect((await office.deposits()).filter(({ state }) => state === 'review')).toHaveLength(3)
})

test('of concurrent decisions on groups that share deposits, one succeeds', async () => {
  const office = await startBackOffice()
  for (let round = 0; round < 3; round += 1) {
    const { ids } = await several(office, ['4', '5', '6'])
    const { done, refused } = await outcomes([
      together(office, ids).ignore(),
      together({ call: office.other.browser.call }, ids.toReversed()).ignore(),
      together(office, ids.slice(1)).ignore(),
    ])
    expect({ done, refused }).toEqual({ done: 1, refused: ['deposit_closed', 'deposit_closed'] })
  }
})

test('an ignored deposit is found by sender, transaction and account, and its owner sees it', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const [paid, rest] = [await office.pay(buyer.wallet, '6'), await office.pay(buyer.wallet, '4')]
  await office.confirm()
  await ignore(office, await office.depositOf(rest))
  const { id, hash } = await unmatched(office)
  await ignore(office, id)

  const search = async (text?: string) =>
    (await office.call(contract.listIgnoredDeposits, { query: { limit: 20, offset: 0, ...(text && { search: text }) } })).deposits
  expect(await search()).toHaveLength(2)
  for (const text of [rest, buyer.wallet.address, buyer.user.email.toUpperCase(), rest.slice(10, 20)])
    expect(await search(text), text).toMatchObject([
      { transactionHash: rest, probableUserEmail: buyer.user.email, notes: 'Dust.' },
    ])
  expect(await search(hash)).toMatchObject([{ id, probableUserEmail: null }])
  for (const text of ['%', '_', paid]) expect(await search(text), text).toEqual([])

  expect(await buyer.browser.call(listPayments, {})).toMatchObject([
    { transactionHash: rest, state: 'ignored', amount: parseAmount('4'), purchaseId: null, refund: null },
    { transactionHash: paid, state: 'credited', purchaseId },
  ])
  const friend = await office.openBuyer()
  expect(await friend.browser.call(listPayments, {})).toEqual([])
})
