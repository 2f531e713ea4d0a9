import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { getAuthUser } from '#shared/contract/identity.ts'
import { createPurchase, getReservation, listPurchases, type Purchase } from '#shared/contract/purchases.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { shorten } from '#shared/address.ts'
import { SECOND } from '#shared/dates.ts'
import { useConnection } from '#pwa/lib/connection.ts'
import { authUserQuery, purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { amountOf, answerCommonCalls, somePurchase, someReservation, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { connectFakeWallet, makeWallet, someHash } from '#pwa/testing/fakeWallet.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { storeAsked } from './askedTransfer.ts'
import { storeReport } from './paymentOutbox.ts'
import { PaymentHost } from './PaymentHost.tsx'
import { usePurchaseFlowStore } from './purchaseFlowStore.ts'

const api = useFakeApi()
beforeEach(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
})

const another = `0x${'7'.repeat(64)}` as const
const sent = (changes: Partial<Purchase> = {}) =>
  somePurchase({ paymentStatus: 'pending', finalQuantity: null, nodeNumbers: [], transactionHash: someHash, ...changes })
const withPayment = (confirmations: number) => ({ confirmations, confirmationsNeeded: 15, received: amountOf('30') })

/** Any page but the purchase page. */
function open(purchases: Purchase[] = [], user = someUser()) {
  answerCommonCalls(api, { user, purchases })
  api.answer(updateWallet, () => ({ ...user, walletProven: true }))
  const page = renderPage(<PaymentHost />, { at: '/history' })
  page.queryClient.setQueryData(authUserQuery.queryKey, user)
  return page
}
const expectNoStrip = () => expect(screen.queryByRole('region', { name: 'Payments in progress' })).not.toBeInTheDocument()
const strip = () => screen.findByRole('region', { name: 'Payments in progress' })

test('it is hidden without payments in progress, and from visitors', async () => {
  const { queryClient } = open([somePurchase()])
  await waitFor(() => expect(queryClient.getQueryData(purchasesQuery.queryKey)).toBeDefined())
  expectNoStrip()
})

test('a payment known to the server is shown on every page until its nodes arrive, and is announced', async () => {
  const { person, queryClient } = open([sent()])
  expect(within(await strip()).getByText('sent, waiting for the chain')).toBeVisible()

  queryClient.setQueryData(purchasesQuery.queryKey, [sent({ payment: withPayment(4) })])
  expect(await within(await strip()).findByText('4 of 15 confirmations')).toBeVisible()
  expect(within(await strip()).getByRole('status')).toHaveTextContent('10 nodes: 4 of 15 confirmations.')

  queryClient.setQueryData(purchasesQuery.queryKey, [sent({ paymentStatus: 'manual_review', payment: withPayment(15) })])
  expect(await within(await strip()).findByText('under review')).toBeVisible()

  queryClient.setQueryData(purchasesQuery.queryKey, [somePurchase({ nodeNumbers: [1042, 1043] })])
  expect(await within(await strip()).findByText('Your nodes have arrived')).toBeVisible()
  expect(within(await strip()).getByText('1,042–1,043')).toBeVisible()
  // Once seen, it is not shown again.
  await person.click(within(await strip()).getByRole('button', { name: 'Show: Your nodes have arrived' }))
  expect(await screen.findByText('Nodes 1,042–1,043 are yours.')).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Done' }))
  await waitFor(() => expectNoStrip())
})

test('an open reservation can be paid from any page', async () => {
  const { person, queryClient } = open()
  api.answer(getReservation, () => someReservation())
  expect(within(await strip()).getByText('10 nodes reserved for you')).toBeVisible()
  await connectFakeWallet(queryClient, makeWallet())
  await person.click(within(await strip()).getByRole('button', { name: 'Pay: 10 nodes reserved for you' }))
  expect(await screen.findByRole('button', { name: 'Pay 30 USDT' })).toBeVisible()
})

test('a reservation is not offered for payment while another one replaces it', async () => {
  open()
  api.answer(getReservation, () => someReservation())
  expect(await within(await strip()).findByText('10 nodes reserved for you')).toBeVisible()
  act(() => usePurchaseFlowStore.setState({ flow: { at: 'reserving', quantity: 1 } }))
  expectNoStrip()
})

test('an open reservation that the wallet was asked to pay is not called unpaid', async () => {
  const reservation = someReservation()
  storeAsked({ orderId: reservation.id, at: new Date() })
  open()
  api.answer(getReservation, () => reservation)
  expect(await within(await strip()).findByText(/^Your wallet was asked to pay, \d+:\d\d left$/)).toBeVisible()
  expect(within(await strip()).queryByText(/Not paid yet/)).not.toBeInTheDocument()
})

test('a reservation is not offered for payment while the purchases are unknown', async () => {
  const { queryClient } = open()
  api.answer(getReservation, () => someReservation())
  api.answer(listPurchases, () => {
    throw refusal(503, 'chain_unavailable', 'Please try again.')
  })
  await waitFor(() => expect(queryClient.getQueryState(purchasesQuery.queryKey)?.status).toBe('error'))
  await waitFor(() => expect(queryClient.getQueryData(reservationQuery.queryKey)).toBeTruthy())
  await act(async () => {})
  expectNoStrip()
})

/** The transfer of ten nodes, which the server has not acknowledged. */
const storeUnsent = () =>
  storeReport({
    idempotencyKey: 'one',
    userId: someUser().id,
    requestedQuantity: 10,
    purchaseAmountUsdt: amountOf('30'),
    transactionHash: someHash,
    sentAt: new Date(),
  })

test('a reservation whose transfer the server does not know yet is not offered for payment', async () => {
  storeUnsent()
  const { queryClient } = open()
  api.answer(createPurchase, () => {
    throw refusal(503, 'chain_unavailable', 'Please try again.')
  })
  api.answer(getReservation, () => someReservation())
  expect(within(await strip()).getByText('10 nodes: sent')).toBeVisible()
  await waitFor(() => expect(queryClient.getQueryData(reservationQuery.queryKey)).toBeTruthy())
  await act(async () => {})
  expect(within(await strip()).getAllByRole('listitem')).toHaveLength(1)
  expect(within(await strip()).queryByRole('button')).not.toBeInTheDocument()
})

test('a stored transfer that another purchase has does not hide a reservation', async () => {
  storeUnsent()
  open([somePurchase({ id: crypto.randomUUID(), transactionHash: someHash })])
  api.answer(createPurchase, () => {
    throw refusal(503, 'chain_unavailable', 'Please try again.')
  })
  api.answer(getReservation, () => someReservation())
  expect(await screen.findByRole('button', { name: 'Pay: 10 nodes reserved for you' })).toBeVisible()
})

test('offline a sent payment is shown as safe, even before the user is known', async () => {
  answerCommonCalls(api)
  api.answer(getAuthUser, () => new Promise(() => {}))
  useConnection.setState({ isOffline: true })
  storeUnsent()
  const { queryClient } = renderPage(<PaymentHost />, { at: '/' })
  expect(within(await strip()).getByText('The server will be notified when you are online. Your payment is safe.')).toBeVisible()

  // It belongs to one account and is hidden from all others.
  queryClient.setQueryData(authUserQuery.queryKey, someUser({ id: crypto.randomUUID() }))
  await waitFor(() => expectNoStrip())
})

test('a transaction that was sped up is replaced by its new hash', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  const { person, queryClient } = open([sent()])
  let isReplaced = false
  const wallet = makeWallet({
    eth_getTransactionReceipt: () => null,
    eth_getTransactionByHash: () => (isReplaced ? null : { from: someUser().walletAddress, nonce: '0x7' }),
    eth_getTransactionCount: () => (isReplaced ? '0x8' : '0x7'),
  })
  await connectFakeWallet(queryClient, wallet)
  await person.click(within(await strip()).getByRole('button', { name: 'Show: 10 nodes' }))
  await waitFor(() => expect(wallet.asked).toContain('eth_getTransactionCount'))
  isReplaced = true
  await act(() => vi.advanceTimersByTimeAsync(4 * SECOND))
  expect(await screen.findByText(/^Your wallet replaced the transaction/)).toBeVisible()

  queryClient.setQueryData(purchasesQuery.queryKey, [sent({ transactionHash: another, payment: withPayment(2) })])
  expect(await screen.findByText('2 of 15 confirmations')).toBeVisible()
  expect(screen.getByText(shorten(another))).toBeVisible()
  expect(screen.queryByText(/^Your wallet replaced/)).not.toBeInTheDocument()
})

const HELD = 'The nodes stay held until about 30 minutes after you reserved them. You can purchase again after that.'
test.each([
  ['replaced', null, `If you cancelled it, nothing was paid. ${HELD}`],
  ['failed', { status: '0x0' }, HELD],
])('a transaction that was %s does not invite to purchase again while its nodes are held', async (_, receipt, says) => {
  const { person, queryClient } = open([sent()])
  const wallet = makeWallet({
    eth_getTransactionReceipt: () => receipt,
    // The nonce was used by another transaction.
    eth_getTransactionByHash: () => ({ from: someUser().walletAddress, nonce: '0x7' }),
    eth_getTransactionCount: () => '0x8',
  })
  await connectFakeWallet(queryClient, wallet)
  await person.click(within(await strip()).getByRole('button', { name: 'Show: 10 nodes' }))
  expect(await screen.findByText((text) => text.endsWith(says))).toBeVisible()
  expect(screen.queryByText(/Close this and purchase again/)).toBeNull()
})

test('a pasted hash, or its explorer URL, is attached to the request', async () => {
  const { person } = open([sent()])
  const claims: unknown[] = []
  api.answer(createPurchase, ({ body }) => {
    claims.push(body)
    const found = sent({ transactionHash: another, payment: withPayment(1) })
    api.answer(listPurchases, () => [found])
    return found
  })
  await person.click(within(await strip()).getByRole('button', { name: 'Show: 10 nodes' }))
  const field = await screen.findByRole('textbox', { name: 'Check my transaction' })
  await person.type(field, '0x1234{Enter}')
  expect(await screen.findByText('A transaction hash has 66 characters and begins with 0x.')).toBeVisible()
  expect(claims).toEqual([])

  await person.clear(field)
  await person.type(field, `https://bscscan.com/tx/${another}?a=b{Enter}`)
  await waitFor(() =>
    expect(claims).toEqual([{ requestedQuantity: 10, purchaseAmountUsdt: amountOf('30'), transactionHash: another }]),
  )
  expect(await screen.findByText('1 of 15 confirmations')).toBeVisible()
})

test.each([
  ['otp_required', 403, /^It has no open purchase\. A payment from your registered wallet is found automatically within minutes/],
  ['transaction_foreign', 409, /^Sent by another wallet\.$/],
] as const)('a hash that is refused with %s is explained', async (code, status, says) => {
  const { person } = open([sent()])
  api.answer(createPurchase, () => {
    throw refusal(status, code, 'Sent by another wallet.')
  })
  await person.click(within(await strip()).getByRole('button', { name: 'Show: 10 nodes' }))
  await person.type(await screen.findByRole('textbox', { name: 'Check my transaction' }), `${another}{Enter}`)
  expect(await screen.findByText(says)).toBeVisible()
})
