import { renderHook, waitFor } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { createElement, type ReactNode } from 'react'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createPurchase, listPurchases, type Reservation } from '#shared/contract/purchases.ts'
import { chooseLanguage } from '#pwa/i18n/language.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { authUserQuery, purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { amountOf, answerCommonCalls, somePurchase, someReservation, someUser } from '#pwa/testing/answers.ts'
import { proxyAnswer, refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { someHash } from '#pwa/testing/fakeWallet.ts'
import { useToasts } from '#pwa/ui/toast.ts'
import { deleteReport, storeReport, type PaymentReport, sendReports, usePaymentReports } from './paymentOutbox.ts'
import { usePaymentOutbox } from './usePaymentOutbox.ts'

const api = useFakeApi()
const userId = someUser().id
const queryClient = createQueryClient()

const report: PaymentReport = {
  idempotencyKey: 'key-of-this-payment',
  userId,
  requestedQuantity: 10,
  purchaseAmountUsdt: amountOf('30'),
  transactionHash: someHash,
  sentAt: new Date('2026-11-20T07:31:00Z'),
}
const kept = () => JSON.parse(localStorage.getItem('payment_outbox') ?? '[]') as PaymentReport[]

/** Records every call with its idempotency key; `answers` are used up in order, later calls succeed. */
function listen(...answers: (() => never)[]) {
  const calls: { key: string | null; hash: string | undefined }[] = []
  answerCommonCalls(api, { user: someUser() })
  queryClient.setQueryData(authUserQuery.queryKey, someUser())
  api.answer(createPurchase, ({ body }, request) => {
    calls.push({ key: request.headers.get('idempotency-key'), hash: body.transactionHash })
    answers.shift()?.()
    return somePurchase({ paymentStatus: 'pending', finalQuantity: null, nodeNumbers: [], transactionHash: someHash })
  })
  return calls
}

beforeEach(() => {
  deleteReport(report.idempotencyKey)
  storeReport(report)
})

test('a stored report is sent once and then deleted', async () => {
  const calls = listen()
  queryClient.setQueryData(purchasesQuery.queryKey, [])
  await Promise.all([sendReports({ queryClient, userId }), sendReports({ queryClient, userId })])

  expect(calls).toEqual([{ key: 'key-of-this-payment', hash: someHash }])
  expect(kept()).toEqual([])
  expect(queryClient.getQueryData(purchasesQuery.queryKey)).toMatchObject([{ transactionHash: someHash }])
  expect(queryClient.getQueryData(reservationQuery.queryKey)).toBeNull()
})

test('an acknowledged report closes its own reservation, whatever an earlier fetch of it returns', async () => {
  listen()
  const { queryKey } = reservationQuery
  const own = someReservation({ id: somePurchase().id })
  let answerNow = () => {}
  const earlier = new Promise<Reservation>((resolve) => (answerNow = () => resolve(own)))
  queryClient.setQueryData(queryKey, own)
  const fetched = queryClient.fetchQuery({ queryKey, queryFn: () => earlier, staleTime: 0 })
  await sendReports({ queryClient, userId })
  answerNow()
  await fetched.catch(() => undefined)
  expect(queryClient.getQueryData(queryKey)).toBeNull()

  storeReport(report)
  const another = someReservation({ id: crypto.randomUUID() })
  queryClient.setQueryData(queryKey, another)
  await sendReports({ queryClient, userId })
  expect(queryClient.getQueryData(queryKey)).toEqual(another)
})

test('a report is retried with the same key while the server does not answer, or a proxy answers for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  const calls = listen(
    () => {
      throw proxyAnswer(403)
    },
    () => {
      throw refusal(503, 'busy', 'Busy.')
    },
    () => {
      throw refusal(409, 'request_in_progress', 'Still running.')
    },
  )
  await sendReports({ queryClient, userId })
  expect(kept()).toHaveLength(1)

  await vi.advanceTimersByTimeAsync(60_000)
  await waitFor(() => expect(kept()).toEqual([]))
  expect(new Set(calls.map(({ key }) => key))).toEqual(new Set(['key-of-this-payment']))
  expect(calls.length).toBe(4)
})

test('unacknowledged reports are sent again at load and when the connection is back', async () => {
  const calls = listen(() => {
    throw unauthorized()
  })
  const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client: queryClient }, children)
  renderHook(() => usePaymentOutbox(userId), { wrapper })
  await waitFor(() => expect(calls).toHaveLength(1))
  await waitFor(() => expect(useToasts.getState().toasts[0]?.title).toBe('Unauthorized'))
  expect(kept()).toHaveLength(1)

  window.dispatchEvent(new Event('online'))
  await waitFor(() => expect(kept()).toEqual([]))
  expect(calls.map(({ key }) => key)).toEqual(['key-of-this-payment', 'key-of-this-payment'])
})

test('a report that cannot be stored is sent once, and what was stored before is kept', async () => {
  const calls = listen()
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
  })
  storeReport({ ...report, idempotencyKey: 'key-of-the-next-payment' })
  await sendReports({ queryClient, userId })
  await sendReports({ queryClient, userId })
  expect(calls).toHaveLength(2)
  expect(new Set(calls.map(({ key }) => key))).toEqual(new Set(['key-of-this-payment', 'key-of-the-next-payment']))
  expect(usePaymentReports.getState().reports).toEqual([])

  full.mockRestore()
  storeReport({ ...report, idempotencyKey: 'key-of-a-third-payment' })
  expect(kept()).toMatchObject([{ idempotencyKey: 'key-of-a-third-payment' }])
})

test('a report of another tab is sent although this one could not store its own', async () => {
  const calls = listen()
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
  })
  deleteReport(report.idempotencyKey)
  full.mockRestore()
  const other = { ...report, idempotencyKey: 'key-of-another-tab', purchaseAmountUsdt: '30', sentAt: report.sentAt.toISOString() }
  localStorage.setItem('payment_outbox', JSON.stringify([other]))
  window.dispatchEvent(new StorageEvent('storage', { key: 'payment_outbox' }))
  await sendReports({ queryClient, userId })
  expect(calls.map(({ key }) => key)).toEqual(['key-of-another-tab'])
})

test('another account of this browser does not send it', async () => {
  const calls = listen()
  await sendReports({ queryClient, userId: 'somebody else' })
  expect(calls).toEqual([])
  expect(kept()).toHaveLength(1)
})

test.each([null, someUser({ id: crypto.randomUUID() })])(
  'a late answer of the wallet is not reported in the session of another account (%#)',
  async (now) => {
    const calls = listen()
    queryClient.setQueryData(authUserQuery.queryKey, now)
    await sendReports({ queryClient, userId })
    expect(calls).toEqual([])
    expect(kept()).toMatchObject([{ idempotencyKey: 'key-of-this-payment' }])
    expect(kept()[0]?.refusal).toBeUndefined()

    queryClient.setQueryData(authUserQuery.queryKey, someUser())
    await sendReports({ queryClient, userId })
    expect(kept()).toEqual([])
  },
)

test("a late answer of the wallet leaves another account's retries alone", async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  const calls = listen(() => {
    throw refusal(503, 'busy', 'Busy.')
  })
  await sendReports({ queryClient, userId })
  await sendReports({ queryClient, userId: 'somebody else' })
  await vi.advanceTimersByTimeAsync(60_000)
  await waitFor(() => expect(kept()).toEqual([]))
  expect(calls).toHaveLength(2)
})

test('a refused report is kept with its hash, and not sent again', async () => {
  const calls = listen(() => {
    throw refusal(409, 'transaction_foreign', 'This transaction was sent from another wallet.')
  })
  await sendReports({ queryClient, userId })
  await sendReports({ queryClient, userId })

  expect(calls).toHaveLength(1)
  expect(useToasts.getState().toasts[0]).toMatchObject({
    title: 'Purchase Failed',
    description: 'This transaction was sent from another wallet.',
  })
  expect(usePaymentReports.getState().reports).toMatchObject([
    { transactionHash: someHash, refusal: 'This transaction was sent from another wallet.' },
  ])
})

test.each(['confirmed', 'pending', 'manual_review'] as const)(
  'a refused report whose transfer is in a %s purchase is deleted silently',
  async (paymentStatus) => {
    useToasts.setState({ toasts: [] })
    listen(() => {
      throw refusal(403, 'otp_required', 'Please enter a code.')
    })
    api.answer(listPurchases, () => [somePurchase({ transactionHash: someHash, paymentStatus })])
    await sendReports({ queryClient, userId })
    expect(kept()).toEqual([])
    expect(useToasts.getState().toasts).toEqual([])
  },
)

test('a refused report whose transfer is only in a cancelled purchase stays, with its warning', async () => {
  listen(() => {
    throw refusal(403, 'otp_required', 'Please enter a code.')
  })
  api.answer(listPurchases, () => [somePurchase({ transactionHash: someHash, paymentStatus: 'cancelled' })])
  await sendReports({ queryClient, userId })
  expect(kept()).toMatchObject([{ refusal: 'Please enter a code.' }])
  expect(useToasts.getState().toasts[0]).toMatchObject({ title: 'Purchase Failed' })
})

test("a refusal is stored in the server's words and shown in the page's language", async () => {
  await chooseLanguage('ko')
  onTestFinished(async () => void (await chooseLanguage('en')))
  listen(() => {
    throw refusal(409, 'transaction_foreign', 'This transaction was sent from another wallet.')
  })
  await sendReports({ queryClient, userId })

  expect(useToasts.getState().toasts[0]?.description).toBe('다른 지갑에서 보낸 거래입니다.')
  expect(kept()[0]?.refusal).toBe('This transaction was sent from another wallet.')
})
