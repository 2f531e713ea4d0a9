import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { listPurchases, type Purchase } from '#shared/contract/purchases.ts'
import { answerWorld, somePurchase, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { HistoryPage } from './HistoryPage.tsx'

const api = useFakeApi()
const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map((cell) => cell.textContent)

function open(purchases: Purchase[]) {
  answerWorld(api, { user: someUser(), purchases })
  return renderPage(<HistoryPage />)
}

/** The rows below the head. Both the table and the cards are in the page: which one shows is the style sheet's. */
const rows = async () =>
  within(await screen.findByRole('table'))
    .getAllByRole('row')
    .slice(1)

test('a visitor is asked to log in, and nothing of anybody is asked for', async () => {
  answerWorld(api)
  const asked = vi.fn<() => Purchase[]>(() => [])
  api.answer(listPurchases, asked)
  renderPage(<HistoryPage />)

  expect(await screen.findByText('Login Required')).toBeVisible()
  expect(asked).not.toHaveBeenCalled()
})

test('a purchase is shown with its state, its date and its transaction', async () => {
  open([somePurchase()])
  expect(screen.getByText('Loading your history')).toBeInTheDocument()

  const [row] = await rows()
  expect(cells(row!)).toEqual([
    '01936b2a',
    'Node Purchase',
    '10 nodes30USDT',
    'Completed',
    '20 Nov 2026, 07:31 UTC',
    '0xcccc...cccc',
    '–',
  ])
  expect(within(row!).getByRole('link')).toHaveAttribute('href', `https://bscscan.com/tx/0x${'c'.repeat(64)}`)
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
    'Transaction ID',
    'Type',
    'Amount/Quantity',
    'Status',
    'Transaction Date',
    'Tx Hash',
    'XCR Balance',
  ])
})

test.each([
  ['confirmed', 'Completed'],
  ['pending', 'Pending'],
  ['manual_review', 'Under Review'],
  ['failed', 'Failed'],
  ['cancelled', 'cancelled'],
] as const)('%s reads %s', async (paymentStatus, word) => {
  open([somePurchase({ paymentStatus, transactionHash: null })])
  const [row] = await rows()
  expect(cells(row!)[3]).toBe(word)
  expect(cells(row!)[5]).toBe('–')
})

test('a bonus is called one', async () => {
  open([somePurchase({ purchaseAmountUsdt: 0n, finalQuantity: 1, transactionHash: null })])
  const [row] = await rows()
  expect(cells(row!).slice(1, 3)).toEqual(['Bonus Nodes', '1 node'])
})

test('the twenty newest are shown, newest first', async () => {
  open(
    Array.from({ length: 25 }, (_, minute) =>
      somePurchase({
        id: `01936b2a-7c00-7000-8000-0000000000${String(minute).padStart(2, '0')}`,
        createdAt: new Date(Date.UTC(2026, 10, 20, 7, minute)),
      }),
    ),
  )
  const shown = await rows()
  expect(shown).toHaveLength(20)
  expect(cells(shown[0]!)[4]).toBe('20 Nov 2026, 07:24 UTC')
  expect(cells(shown[19]!)[4]).toBe('20 Nov 2026, 07:05 UTC')
})

test('a hash is copied whole, and a browser that will not is quoted', async () => {
  const { person } = open([somePurchase()])
  const [row] = await rows()
  await person.click(within(row!).getByRole('button', { name: 'Copy transaction hash' }))
  expect(await screen.findByText('Copy Complete')).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe(`0x${'c'.repeat(64)}`)

  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('Denied'))
  await person.click(within(row!).getByRole('button', { name: 'Copy transaction hash' }))
  expect((await screen.findByText('Copy Failed')).parentElement).toHaveTextContent('Failed to copy transaction hash.')
})

test('an empty history says so', async () => {
  open([])
  expect(await screen.findByText('No transaction history available.')).toBeVisible()
})

test('a history that could not be read is asked for again', async () => {
  answerWorld(api, { user: someUser() })
  api.answer(listPurchases, () => {
    throw refusal(500, 'internal', 'Something went wrong.')
  })
  const { person } = renderPage(<HistoryPage />)
  expect(await screen.findByText('Your history could not be read')).toBeVisible()

  api.answer(listPurchases, () => [somePurchase()])
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await rows()).toHaveLength(1)
})
