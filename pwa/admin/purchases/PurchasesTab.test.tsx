import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { getAdminStats } from '#shared/contract/admin/office.ts'
import {
  cancelPurchase,
  listAdminPurchases,
  listPendingReviews,
  manualConfirmPurchase,
} from '#shared/contract/admin/purchases.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { amountOf, answerCommonCalls, somePurchase } from '#pwa/testing/answers.ts'
import { objecting, refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { answerAdminPurchases, someReviewPurchase } from '#pwa/testing/purchaseAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { PurchasesTab } from './PurchasesTab.tsx'

const api = useFakeApi()
const hash = `0x${'b'.repeat(64)}` as const
const nothingFound = 'This transaction is not on the chain. It may not be mined yet.'

function open(purchases: Purchase[], { at = '/admin-panel?tab=purchases' } = {}) {
  answerCommonCalls(api)
  const asked = answerAdminPurchases(api, purchases)
  return { ...renderPage(<PurchasesTab />, { at }), asked }
}

const pending = (changes: Partial<Purchase> = {}) =>
  somePurchase({ paymentStatus: 'pending', finalQuantity: null, nodeNumbers: [], transactionHash: null, ...changes })

/** Enough purchases for several pages, each by a different buyer. */
const manyPurchases = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    somePurchase({
      id: `01936b2a-7c00-7000-8000-0000000001${String(index).padStart(2, '0')}`,
      user: { id: '01936b2a-7c00-7000-8000-000000000001', email: `buyer${index}@example.com` },
    }),
  )

const rows = async () =>
  within(await screen.findByRole('table', { name: 'Purchases' }))
    .getAllByRole('row')
    .slice(1)
const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map((cell) => cell.textContent)
const press = (name: string | RegExp) => screen.getByRole('button', { name })
const toast = () => screen.getByLabelText('Notifications')

test('a row shows user, nodes, amount, transaction, states, time and notes', async () => {
  const { person } = open([somePurchase({ adminNotes: 'Called twice.', purchaseResult: 'late_payment' })])
  const [row] = await rows()
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
    'User',
    'Quantity',
    'Amount',
    'Node numbers',
    'Tx hash',
    'Status',
    'Date (UTC)',
    'Admin notes',
    'Actions',
  ])
  expect(cells(row!)).toEqual([
    `mara@example.com${somePurchase().id.slice(0, 8)}`,
    '10',
    '30 USDT',
    '1, 2, 3, 4, 5, 6, 7, 8, 9, 10',
    '0xcccc...cccc',
    'CompletedLate payment',
    '20 Nov 2026, 07:31 UTC',
    'Called twice.',
    '',
  ])
  await person.click(within(row!).getByRole('button', { name: /show the full ID/ }))
  expect(within(row!).getByText(somePurchase().id)).toBeVisible()
  expect(within(row!).getByRole('link', { name: 'mara@example.com' })).toHaveAttribute(
    'href',
    `/admin-panel/users/${somePurchase().user.id}`,
  )
  const link = await within(row!).findByRole('link', { name: /^0x/ })
  expect(link).toHaveAttribute('href', `https://bscscan.com/tx/0x${'c'.repeat(64)}`)
  expect(link).toHaveAttribute('target', '_blank')
})

test.each([
  ['confirmed', 'Completed'],
  ['pending', 'Pending'],
  ['manual_review', 'Under Review'],
  ['failed', 'Failed'],
  ['cancelled', 'cancelled'],
] as const)('%s reads %s, and only what is pending can be confirmed or cancelled', async (paymentStatus, word) => {
  open([somePurchase({ paymentStatus })])
  const [row] = await rows()
  expect(cells(row!)[5]).toBe(`${word}Normal`)
  expect(within(row!).queryAllByRole('button', { name: /purchase of 10 nodes by mara@example.com$/ })).toHaveLength(
    paymentStatus === 'pending' ? 2 : 0,
  )
})

test('a bonus is marked', async () => {
  open([somePurchase({ purchaseAmountUsdt: 0n, finalQuantity: 1, nodeNumbers: [7], transactionHash: null })])
  const [row] = await rows()
  expect(cells(row!).slice(1, 5)).toEqual(['1', 'BONUS', '7', '–'])
})

test('eleven or more node numbers are collapsed to the first three', async () => {
  const numbers = Array.from({ length: 11 }, (_, index) => index + 1040)
  const { person } = open([somePurchase({ nodeNumbers: numbers })])
  const [row] = await rows()
  expect(cells(row!)[3]).toBe('1040, 1041, 1042+8 more')
  await person.click(press('+8 more'))
  expect(cells(row!)[3]).toBe(`${numbers.join(', ')}Show less`)
  await person.click(press('Show less'))
  expect(cells(row!)[3]).toBe('1040, 1041, 1042+8 more')
})

test('a filter is kept in the address, starts at page 1, and totals all its matches', async () => {
  const { person, location, asked } = open([...manyPurchases(20), somePurchase({ purchaseAmountUsdt: 0n, finalQuantity: 2 })], {
    at: '/admin-panel?tab=purchases&page=2',
  })
  expect(await rows()).toHaveLength(6)
  expect(screen.queryByLabelText('Summary of the filter')).not.toBeInTheDocument()
  expect(screen.getByText('Total 21 purchases · Page 2 of 2')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Excel download' })).toHaveAttribute('href', '/api/admin/purchases/download')

  await person.type(screen.getByLabelText('Search by email'), 'MARA@'.toLowerCase())
  await person.click(press('Filter'))
  const summary = await screen.findByLabelText('Summary of the filter')
  expect(summary).toHaveTextContent('Purchases1Paid nodes0Bonus nodes2Total nodes2')
  expect(location()).toBe('/admin-panel?tab=purchases&email=mara%40')
  expect(asked.at(-1)).toEqual({ email: 'mara@', limit: 15, offset: 0 })
  const download = screen.getByRole('link', { name: 'Excel download' })
  expect(download).toHaveAttribute('href', '/api/admin/purchases/download?email=mara%40')
  expect(download).toHaveAttribute('target', '_blank')

  await person.click(press('Clear filter'))
  await waitFor(async () => expect(await rows()).toHaveLength(15))
  expect(screen.queryByLabelText('Summary of the filter')).not.toBeInTheDocument()
  await person.click(press('Next'))
  await waitFor(async () => expect(await rows()).toHaveLength(6))
  expect(asked.at(-1)).toEqual({ limit: 15, offset: 15 })
  expect(press('Next')).toBeDisabled()
})

test('empty and filtered-empty lists say so', async () => {
  const { person } = open([])
  expect(screen.getByText('Loading purchases')).toBeInTheDocument()
  expect(await screen.findByText('No purchases yet.')).toBeVisible()
  await person.type(screen.getByLabelText('Search by email'), 'nobody{Enter}')
  expect(await screen.findByText("No buyer's email contains “nobody”.")).toBeVisible()
})

test('a failed request shows an error that can be retried', async () => {
  answerCommonCalls(api)
  answerAdminPurchases(api, [somePurchase()])
  const fail = () => Promise.reject(refusal(500, 'internal', 'Something broke.'))
  api.answer(listAdminPurchases, fail)
  api.answer(listPendingReviews, fail)
  const { person } = renderPage(<PurchasesTab />)
  expect(await screen.findByText('Failed to fetch purchases')).toBeVisible()
  expect(await screen.findByText('Failed to fetch pending reviews')).toBeVisible()

  answerAdminPurchases(api, [somePurchase()])
  for (const button of screen.getAllByRole('button', { name: 'Try again' })) await person.click(button)
  expect(await rows()).toHaveLength(1)
  expect(await screen.findByText('Nothing to review.')).toBeVisible()
})

test('without permission the list is empty, and shows no error', async () => {
  answerCommonCalls(api)
  const forbid = () => Promise.reject(refusal(403, 'forbidden', 'You may not.'))
  api.answer(listAdminPurchases, forbid)
  api.answer(listPendingReviews, forbid)
  renderPage(<PurchasesTab />)
  expect(await screen.findByText('No purchases yet.')).toBeVisible()
  expect(await screen.findByText('Nothing to review.')).toBeVisible()
  expect(screen.queryByText(/^Failed to fetch/)).not.toBeInTheDocument()
})

test('cancelling requires a reason, sends one idempotency key on repeated presses, and refetches the figures', async () => {
  const purchases = [pending()]
  const { person, asked, queryClient } = open(purchases)
  const refreshed = vi.spyOn(queryClient, 'invalidateQueries')
  const keys: (string | null)[] = []
  api.answer(cancelPurchase, ({ params, body }, request) => {
    keys.push(request.headers.get('idempotency-key'))
    if (keys.length === 1) throw refusal(500, 'internal', undefined as never)
    purchases[0] = pending({ paymentStatus: 'cancelled', adminNotes: body.reason })
    expect(params.id).toBe(purchases[0]!.id)
    return { message: 'The purchase is cancelled.', purchase: purchases[0]! }
  })
  await rows()
  await person.click(press('Cancel: purchase of 10 nodes by mara@example.com'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Cancel purchase of 10 nodes by mara@example.com?' }))
  await person.type(dialog.getByLabelText('Reason'), '  ')
  await person.click(dialog.getByRole('button', { name: 'Cancel purchase' }))
  expect(dialog.getByText('Please enter a reason.')).toBeVisible()
  expect(keys).toEqual([])

  await person.type(dialog.getByLabelText('Reason'), ' Bought twice. ')
  await person.click(dialog.getByRole('button', { name: 'Cancel purchase' }))
  expect(await within(toast()).findByText('Failed to cancel purchase.')).toBeVisible()
  const before = asked.length
  await person.click(dialog.getByRole('button', { name: 'Cancel purchase' }))
  expect(await within(toast()).findByText('Purchase Cancelled')).toBeVisible()
  expect(keys[0]).toBe(keys[1])
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  await waitFor(async () => expect(cells((await rows())[0]!)[5]).toBe('cancelledNormal'))
  expect(cells((await rows())[0]!)[7]).toBe('Bought twice.')
  expect(asked.length).toBeGreaterThan(before)
  const paths = refreshed.mock.calls.map(([filters]) => String(filters?.queryKey?.[0]))
  expect(paths).toEqual(
    expect.arrayContaining([getAdminStats.path, listAdminPurchases.path, listPendingReviews.path, getNodeStats.path]),
  )
})

test('the second of two administrators is told, and sees the current state', async () => {
  const purchases = [pending()]
  const { person } = open(purchases)
  api.answer(cancelPurchase, () => {
    purchases[0] = somePurchase()
    throw refusal(409, 'purchase_closed', 'This purchase is confirmed and can no longer be changed.')
  })
  await rows()
  await person.click(press(/^Cancel: /))
  await person.type(await screen.findByLabelText('Reason'), 'Too late')
  await person.click(press('Cancel purchase'))
  expect(await within(toast()).findByText('Already decided')).toBeVisible()
  expect(toast()).toHaveTextContent(
    'Another administrator already decided. This purchase is confirmed and can no longer be changed. The lists have been updated.',
  )
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  await waitFor(async () => expect(cells((await rows())[0]!)[5]).toBe('CompletedNormal'))
})

async function openConfirmation(purchases = [pending()]) {
  const page = open(purchases)
  await rows()
  await page.person.click(press('Manual confirm: purchase of 10 nodes by mara@example.com'))
  const dialog = await screen.findByRole('dialog', { name: 'Confirm purchase of 10 nodes by mara@example.com' })
  const look = () => page.person.click(within(dialog).getByRole('button', { name: /^(Manual confirm|Look up again)$/ }))
  return { ...page, dialog: within(dialog), look }
}

test('a hash is required, in a valid format', async () => {
  const { person, dialog, look } = await openConfirmation()
  const field = dialog.getByLabelText('Transaction hash')
  await look()
  expect(await within(toast()).findByText('please enter the transaction hash')).toBeVisible()
  expect(field).toHaveAccessibleDescription('please enter the transaction hash')
  expect(field).toHaveFocus()

  for (const text of ['0x12', 'b'.repeat(64), `0x${'g'.repeat(64)}`, `0x${'b'.repeat(65)}`]) {
    await person.clear(field)
    await person.click(field)
    await person.paste(text)
    await look()
    expect(field).toHaveAccessibleDescription('not a valid transaction hash format, 0x + 64 characters')
  }
  expect(within(toast()).getByText('not a valid transaction hash format, 0x + 64 characters')).toBeVisible()
})

test('a payment found on the chain confirms the purchase', async () => {
  const purchases = [pending()]
  const { person, dialog, look } = await openConfirmation(purchases)
  const bodies: unknown[] = []
  api.answer(manualConfirmPurchase, ({ body }) => {
    bodies.push(body)
    purchases[0] = somePurchase()
    return { message: 'The purchase is confirmed.', purchase: purchases[0]! }
  })
  await person.click(dialog.getByLabelText('Transaction hash'))
  await person.paste(` ${hash} `)
  await look()
  expect(await within(toast()).findByText('Purchase Confirmed')).toBeVisible()
  expect(bodies).toEqual([{ transactionHash: hash, overridden: [] }])
  await waitFor(async () => expect(cells((await rows())[0]!)[5]).toBe('CompletedNormal'))
})

const notFound = { code: 'transaction_not_found', facts: {} }

test('overriding the chain requires a note and a second confirmation', async () => {
  const { person, dialog, look } = await openConfirmation()
  const bodies: unknown[] = []
  api.answer(manualConfirmPurchase, ({ body }) => {
    bodies.push(body)
    if (!body.overridden?.length) throw objecting({ ...notFound, message: nothingFound })
    return { message: 'The purchase is confirmed.', purchase: somePurchase() }
  })
  await person.click(dialog.getByLabelText('Transaction hash'))
  await person.paste(hash)
  expect(dialog.queryByRole('button', { name: 'Confirm anyway' })).not.toBeInTheDocument()
  await look()
  expect(await within(toast()).findByText('failed to confirm purchase')).toBeVisible()
  expect(await dialog.findByText(nothingFound)).toBeVisible()

  await person.click(dialog.getByRole('button', { name: 'Confirm anyway' }))
  expect(dialog.getByLabelText('Reason for override')).toHaveAccessibleDescription('Please enter a note explaining why.')
  await person.type(dialog.getByLabelText('Reason for override'), 'Seen in the bank of the chain')
  await person.click(dialog.getByRole('button', { name: 'Confirm anyway' }))
  const question = within(
    await screen.findByRole('dialog', {
      name: 'Confirm the purchase of 10 nodes by mara@example.com anyway?',
    }),
  )
  expect(question.getByText(nothingFound), 'what is overridden').toBeVisible()
  expect(bodies).toHaveLength(1)
  await person.click(question.getByRole('button', { name: 'Confirm anyway' }))
  expect(await within(toast()).findByText('Purchase Confirmed')).toBeVisible()
  expect(bodies[1]).toEqual({ transactionHash: hash, overridden: [notFound], notes: 'Seen in the bank of the chain' })
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('what else speaks against it by then is shown and named before it is overridden, and nothing typed is lost', async () => {
  const { person, dialog, look } = await openConfirmation()
  const amount = { code: 'amount_differs', facts: { received: '29', price: '30' } }
  const owner = { code: 'wallet_of_another', facts: { wallet: '0x1', account: 'sora@example.com' } }
  const [paysLess, ofAnother] = ['This transaction transfers 29 USDT.', 'Another account has proven it: sora@example.com.']
  const bodies: unknown[] = []
  api.answer(manualConfirmPurchase, ({ body }) => {
    bodies.push(body)
    if (bodies.length === 1) throw objecting({ ...amount, message: paysLess })
    if (bodies.length === 2) throw objecting({ ...amount, message: paysLess }, { ...owner, message: ofAnother })
    return { message: 'The purchase is confirmed.', purchase: somePurchase() }
  })
  await person.click(dialog.getByLabelText('Transaction hash'))
  await person.paste(hash)
  await look()
  await person.type(await dialog.findByLabelText('Reason for override'), 'Close enough')
  const insist = async () => {
    await person.click(dialog.getByRole('button', { name: 'Confirm anyway' }))
    const question = within(await screen.findByRole('dialog', { name: /anyway\?$/ }))
    const said = question.getAllByText(/^(This transaction|Another account)/).map(({ textContent }) => textContent)
    await person.click(question.getByRole('button', { name: 'Confirm anyway' }))
    return said
  }
  expect(await insist()).toEqual([paysLess])
  expect((await dialog.findAllByRole('listitem')).map(({ textContent }) => textContent)).toEqual([paysLess, ofAnother])
  expect(dialog.getByLabelText('Transaction hash')).toHaveValue(hash)
  expect(dialog.getByLabelText('Reason for override')).toHaveValue('Close enough')
  expect(await insist()).toEqual([paysLess, ofAnother])
  expect(await within(toast()).findByText('Purchase Confirmed')).toBeVisible()
  const named = { transactionHash: hash, notes: 'Close enough' }
  expect(bodies.slice(1)).toEqual([
    { ...named, overridden: [amount] },
    { ...named, overridden: [amount, owner] },
  ])
})

test.each([
  ['transaction_used', 'This transaction has already been used.'],
  ['chain_unavailable', 'The chain does not answer.'],
  ['insufficient_supply', 'Insufficient remaining node quantity.'],
] as const)('%s is shown and cannot be overridden', async (code, message) => {
  const { person, dialog, look } = await openConfirmation()
  api.answer(manualConfirmPurchase, () => {
    throw refusal(409, code, message)
  })
  await person.click(dialog.getByLabelText('Transaction hash'))
  await person.paste(hash)
  await look()
  expect(await dialog.findByText(message)).toBeVisible()
  expect(dialog.queryByRole('button', { name: 'Confirm anyway' })).not.toBeInTheDocument()
})

test('the pressed button shows progress, and nothing else can be pressed', async () => {
  const { person, dialog, look } = await openConfirmation()
  const isLookedUp = Promise.withResolvers<void>()
  api.answer(manualConfirmPurchase, async () => {
    await isLookedUp.promise
    return { message: 'The purchase is confirmed.', purchase: somePurchase() }
  })
  await person.click(dialog.getByLabelText('Transaction hash'))
  await person.paste(hash)
  await look()
  expect(await dialog.findByRole('button', { name: 'Looking it up...' })).toBeDisabled()
  expect(dialog.getByRole('button', { name: 'Back' })).toBeDisabled()
  expect(dialog.getByLabelText('Transaction hash')).toHaveAttribute('readonly')
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog')).toBeVisible()
  expect(dialog.queryByRole('button', { name: 'Close' })).not.toBeInTheDocument()
  isLookedUp.resolve()
  expect(await within(toast()).findByText('Purchase Confirmed')).toBeVisible()
})

test('a purchase in review cannot be confirmed by hand', async () => {
  answerCommonCalls(api)
  answerAdminPurchases(api, [someReviewPurchase()])
  renderPage(<PurchasesTab />)
  const [row] = await rows()
  expect(within(row!).queryByRole('button', { name: /Manual confirm|Cancel/ })).not.toBeInTheDocument()
})

test('an amount with eighteen decimals is shortened, and a tap shows all of it', async () => {
  const { person } = open([somePurchase({ purchaseAmountUsdt: amountOf('12345678.123456789012345678') })])
  const [row] = await rows()
  expect(cells(row!)[2]).toBe('12,345,678.12345678 USDT')
  await person.click(within(row!).getByRole('button', { name: /show all decimals/ }))
  expect(cells(row!)[2]).toBe('12,345,678.123456789012345678 USDT')
})
