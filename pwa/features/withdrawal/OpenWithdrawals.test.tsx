import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { cancelWithdrawal, listWithdrawals, type Withdrawal } from '#shared/contract/withdrawals.ts'
import { answerCommonCalls, someUser, someWithdrawal } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { OpenWithdrawals } from './OpenWithdrawals.tsx'

const api = useFakeApi()

function open(withdrawals: Withdrawal[]) {
  const now = new Date()
  answerCommonCalls(api, { user: someUser(), withdrawals, config: { serverTime: now, productTime: now } })
  return renderPage(<OpenWithdrawals />)
}
const held = (changes: Partial<Withdrawal> = {}) =>
  someWithdrawal({
    status: 'manual_review',
    heldUntil: new Date(Date.now() + 23 * HOUR + 59 * MINUTE + 30 * SECOND),
    canCancel: true,
    ...changes,
  })

test('a held withdrawal shows until when, a countdown, and what follows', async () => {
  open([held()])
  const note = await screen.findByRole('note')
  expect(note).toHaveTextContent(/Withdrawal of 3,000 XCR on hold/)
  expect(note).toHaveTextContent(
    /On hold until .* UTC.*because your account was frozen, or its wallet, password or authenticator was changed/,
  )
  expect(note).toHaveTextContent('After that, it is paid automatically.')
  expect(within(note).getByRole('timer')).toHaveTextContent(/^23:59:\d\d$/)
})

test('one that a person decides on says so, during its hold and after it', async () => {
  open([
    held({ needsReview: true }),
    held({ id: '01936b2a-7c00-7000-8000-000000000302', needsReview: true, heldUntil: new Date(Date.now() - 1) }),
  ])
  const [during, after] = await screen.findAllByRole('note')
  expect(during).toHaveTextContent('After that, our team reviews it before payout.')
  expect(after).toHaveTextContent(/waiting.*Our team reviews it before payout\./)
})

test('a pending one appears only if it waits, and a signed one never', async () => {
  const createdAt = new Date()
  open([
    someWithdrawal({ canCancel: true, createdAt }),
    someWithdrawal({
      id: '01936b2a-7c00-7000-8000-000000000302',
      canCancel: true,
      createdAt: new Date(createdAt.getTime() - 2 * MINUTE),
    }),
    someWithdrawal({ id: '01936b2a-7c00-7000-8000-000000000303', status: 'processing' }),
  ])
  expect(await screen.findByText(/Payouts are sent in order/)).toBeVisible()
  expect(screen.getAllByRole('note')).toHaveLength(1)
})

test('one that waits for the cap of payouts says so', async () => {
  open([someWithdrawal({ canCancel: true, isCapped: true, createdAt: new Date(Date.now() - 2 * MINUTE) })])
  expect(await screen.findByText(/the limit is reached. Yours keeps its place/)).toBeVisible()
})

test('Cancel asks first, then cancels with one key and shows where the XCR is', async () => {
  const { person } = open([held()])
  const keys: (string | null)[] = []
  api.answer(cancelWithdrawal, (_, request) => {
    keys.push(request.headers.get('idempotency-key'))
    if (keys.length === 1)
      throw refusal(503, 'chain_unavailable', "We can't check right now whether it was paid. Please try again.")
    return someWithdrawal({ status: 'failed' })
  })
  const press = async () => {
    await person.click(await screen.findByRole('button', { name: 'Cancel withdrawal' }))
    await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel withdrawal' }))
  }
  await person.click(await screen.findByRole('button', { name: 'Cancel withdrawal' }))
  await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Keep it' }))
  expect(keys).toEqual([])

  await press()
  expect((await screen.findByText('Not Cancelled')).parentElement).toHaveTextContent("We can't check right now")
  api.answer(listWithdrawals, () => [])
  await press()
  expect((await screen.findByText('Withdrawal Cancelled')).parentElement).toHaveTextContent('3,000 XCR is back in your account.')
  await expect.poll(() => screen.queryByRole('note')).toBeNull()
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
})
