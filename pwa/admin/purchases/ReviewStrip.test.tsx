import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ApiError } from '#shared/contract/client.ts'
import {
  assignDeposit,
  ignoreDeposit,
  listIgnoredDeposits,
  refundDeposit,
  restoreNodes,
} from '#shared/contract/admin/deposits.ts'
import { approvePurchase, type listPendingReviews, rejectPurchase, type ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { pagingOf } from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls, somePurchase } from '#pwa/testing/answers.ts'
import { objecting, refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { answerAdminPurchases, someReviewDeposit, someReviewPurchase } from '#pwa/testing/purchaseAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { someProposal } from '#pwa/testing/someProposal.ts'
import { NEW_ROWS_KEY } from '../lists/NewRows.tsx'
import { pathOfPerson } from '../person/pathOfPerson.ts'
import { ReviewStrip } from './ReviewStrip.tsx'

const api = useFakeApi()
const hash = `0x${'b'.repeat(64)}` as const
const name = 'payment of 31.5 USDT from 0x1f3a...2b99'

interface Waiting {
  deposits?: ReviewDeposit[]
  purchases?: Output<typeof listPendingReviews>['purchases']
  productTime?: string
}

function open({ deposits = [], purchases = [], productTime = '2026-11-20T12:00:00Z' }: Waiting) {
  answerCommonCalls(api, { config: { productTime: new Date(productTime) } })
  const reviews = { deposits, purchases, unmatchedUsdt: deposits.reduce((sum, { amount }) => sum + amount, 0n) }
  answerAdminPurchases(api, [...purchases], reviews)
  return renderPage(<ReviewStrip />)
}

const items = async () => within(await screen.findByRole('list')).getAllByRole('listitem')
const press = (label: string) => screen.getByRole('button', { name: label })
const dialog = async (title: string) => within(await screen.findByRole('dialog', { name: title }))
const toast = () => within(screen.getByLabelText('Notifications'))

test('a payment is listed with its sender, amount, likely user, reason and time left of its five business days', async () => {
  open({ deposits: [someReviewDeposit({ probableUserEmail: 'mara@example.com' })] })
  const [item] = await items()
  expect(item).toHaveTextContent('Payment of 31.5 USDT')
  expect(item).toHaveTextContent('It does not match any purchase.')
  expect(item).toHaveTextContent('Probably frommara@example.com')
  expect(item).toHaveTextContent('Seen20 Nov 2026, 07:31 UTC')
  expect(await within(item!).findByText('5 business days left')).toBeVisible()
  expect(screen.getByText('31.5 USDT waiting')).toBeVisible()
  expect(within(item!).getByRole('link', { name: '0x1f3a...2b99' })).toHaveAttribute(
    'href',
    'https://bscscan.com/address/0x1f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b99',
  )
})

test('a payment names who has proven its wallet, and when, or that nobody has', async () => {
  const sender = `0x${'2'.repeat(40)}` as const
  const provers = ['sora@example.com', 'mara@example.com'].map((email, day) => ({
    userId: `01936b2a-7c00-7000-8000-00000000007${day}`,
    email,
    provenAt: new Date(Date.UTC(2026, 10, 22 - day, 9)),
  }))
  open({ deposits: [someReviewDeposit({ provers: [] }), someReviewDeposit({ id: crypto.randomUUID(), sender, provers })] })
  const [first, second] = await items()
  expect(first).toHaveTextContent('Wallet proven bynobody')
  expect(second).toHaveTextContent(
    'Wallet proven bysora@example.com (22 Nov 2026, 09:00 UTC)mara@example.com (21 Nov 2026, 09:00 UTC)',
  )
})

test('a payment names who has reported it', async () => {
  const reporters = ['sora@example.com', 'mara@example.com'].map((email) => ({ userId: crypto.randomUUID(), email }))
  open({ deposits: [someReviewDeposit({ reporters })] })
  expect((await items())[0]).toHaveTextContent('Reported bysora@example.commara@example.com')
  expect(screen.getByRole('link', { name: /sora/ })).toHaveAttribute('href', expect.stringContaining(reporters[0]!.userId))
})

test('the email addresses of a case lead to the page of the person', async () => {
  const buyer = someReviewPurchase()
  const probableUserId = '01936b2a-7c00-7000-8000-000000000077'
  open({
    deposits: [someReviewDeposit({ probableUserEmail: 'sora@example.com', probableUserId, purchaseId: buyer.id })],
    purchases: [buyer],
  })
  await items()
  const linksTo = (email: string) => screen.getAllByRole('link', { name: email }).map((link) => link.getAttribute('href'))
  expect(linksTo('sora@example.com')).toEqual([pathOfPerson(probableUserId)])
  const path = pathOfPerson(buyer.user.id)
  expect(linksTo(buyer.user.email), 'of the purchase, and of the payment intended for it').toEqual([path, path])
})

test.each([
  ['2026-11-20T12:00:00Z', '5 business days left'],
  ['2026-11-26T12:00:00Z', '1 business day left'],
  ['2026-11-27T07:30:00Z', 'Due today'],
  ['2026-11-27T07:32:00Z', 'Overdue since today'],
  ['2026-11-30T12:00:00Z', '1 business day overdue'],
  ['2026-12-08T12:00:00Z', '7 business days overdue'],
])('at %s it is %s', async (productTime, words) => {
  open({ deposits: [someReviewDeposit()], productTime })
  const state = await screen.findByText(words)
  expect(state).toHaveAttribute('title', 'Due by 27 Nov 2026, 07:31 UTC')
  expect(state).toHaveClass(words.startsWith('Over') || words.endsWith('overdue') ? 'text-red' : /text-(amber|ink-10)/)
})

test.each([
  ['underpaid', 'Less was received than the purchase costs.'],
  ['overpaid', 'More was received than the purchase costs.'],
  ['late', 'It arrived after the purchase expired.'],
  ['wrong_wallet', 'It came from a different wallet than the registered one.'],
  ['insufficient_supply', 'Fewer nodes were left than it pays for.'],
  ['unmatched', 'It does not match any purchase.'],
  ['orphaned', 'It paid for nodes and then disappeared from the chain. The nodes are frozen until it returns.'],
] as const)('%s is said in plain words', async (reason, words) => {
  open({ deposits: [someReviewDeposit({ reason })] })
  expect(await screen.findByText(words)).toBeVisible()
  expect(screen.getByText('unknown user')).toBeVisible()
})

test('a case about which something was proposed says so, also a payment that is assigned together with others', async () => {
  const ids = [1, 2, 3].map((place) => `1a2b3c4d-7c00-7000-8000-00000000000${place}`)
  open({ deposits: ids.map((id, place) => someReviewDeposit({ id, sender: `0x${String(place).repeat(40)}` })) })
  const others = [{ target: `deposit:${ids[1]}`, before: {} }]
  const proposal = someProposal({ action: 'deposit.assign', target: `deposit:${ids[0]}`, before: { others } })
  api.answer(listProposals, ({ query }) => ({ proposals: [proposal], owners: 2, ...pagingOf(1, query) }))
  const [first, second, third] = await items()
  expect(await within(first!).findByText('Waits for approval')).toBeVisible()
  expect(within(second!).getByText('Waits for approval')).toBeVisible()
  expect(within(third!).queryByText('Waits for approval')).toBeNull()
})

test('cases that came or were decided since are announced, and the list stays until it is asked for', async () => {
  const [one, two] = [
    someReviewDeposit(),
    someReviewDeposit({ id: '01936b2a-7c00-7000-8000-000000000402', sender: `0x${'2'.repeat(40)}` }),
  ]
  const { person, queryClient } = open({ deposits: [one, two] })
  expect(await items()).toHaveLength(2)
  answerAdminPurchases(api, [], { deposits: [two] })
  await queryClient.invalidateQueries({ queryKey: [NEW_ROWS_KEY] })
  expect(await screen.findByText('1 is no longer in this list')).toBeVisible()
  expect(await items()).toHaveLength(2)
  await person.click(press('Refresh the list'))
  await waitFor(async () => expect(await items()).toHaveLength(1))
})

test('a payment of before a restore of the database says that it may have been refunded', async () => {
  open({ deposits: [someReviewDeposit({ mayBeRefunded: true })] })
  expect(
    await screen.findByText(/The database was restored after this payment, which may have been refunded before/),
  ).toBeVisible()
})

test('the most urgent cases come first, and the rest are behind "show more"', async () => {
  const dueBy = (day: number) => new Date(Date.UTC(2026, 10, day))
  const { person } = open({
    deposits: [28, 27, 26, 25, 24].map((day) =>
      someReviewDeposit({
        id: crypto.randomUUID(),
        sender: `0x${String(day).repeat(20)}`,
        amount: BigInt(day),
        dueBy: dueBy(day),
      }),
    ),
    purchases: [someReviewPurchase({ dueBy: dueBy(23) })],
  })
  expect(await items()).toHaveLength(4)
  expect((await items())[0]).toHaveTextContent('Purchase of 10 nodes by mara@example.com')
  await person.click(press('Show all 6'))
  expect(await items()).toHaveLength(6)
  await person.click(press('Show only the most urgent'))
  expect(await items()).toHaveLength(4)
})

test('several payments of one sender are one row, decided together or one by one', async () => {
  const ids = [1, 2, 3].map(() => crypto.randomUUID())
  const { person } = open({ deposits: ids.map((id) => someReviewDeposit({ id })) })
  const [item] = await items()
  expect(item).toHaveTextContent('3 payments, 94.5 USDT in total')
  const bodies: unknown[] = []
  api.answer(ignoreDeposit, ({ params, body }) => {
    bodies.push({ ...params, ...body })
    return { message: 'The deposit is ignored.' }
  })
  await person.click(press('Show individual payments'))
  expect(within(item!).getAllByText('Payment of 31.5 USDT')).toHaveLength(3)
  await person.click(press('Hide individual payments'))

  await person.click(press('Ignore the 3 payments from 0x1f3a...2b99'))
  const form = await dialog('Ignore the 3 payments from 0x1f3a...2b99?')
  await person.type(form.getByLabelText('Reason'), 'Dust')
  await person.click(form.getByRole('button', { name: 'Ignore payment' }))
  expect(await toast().findByText('Payment Ignored')).toBeVisible()
  expect(bodies).toEqual([{ id: ids[0], others: ids.slice(1), note: 'Dust', state: 'review' }])
})

test('a long list has pages', async () => {
  const { person } = open({
    deposits: Array.from({ length: 25 }, (_, index) =>
      someReviewDeposit({ id: crypto.randomUUID(), sender: `0x${String(index + 10).repeat(20)}`, amount: BigInt(index + 1) }),
    ),
  })
  await items()
  await person.click(press('Show all 25'))
  expect(await items()).toHaveLength(20)
  await person.click(press('Next'))
  await waitFor(async () => expect(await items()).toHaveLength(5))
})

test('ignored payments can be searched', async () => {
  const { person } = open({})
  const searched: (string | undefined)[] = []
  api.answer(listIgnoredDeposits, ({ query }) => {
    searched.push(query.search)
    const { id, transactionHash, sender, seenAt } = someReviewDeposit()
    return {
      deposits: query.search
        ? []
        : [{ id, transactionHash, sender, amount: 1n, probableUserEmail: 'mara@example.com', notes: 'Dust', seenAt }],
      ...pagingOf(query.search ? 0 : 1, query),
    }
  })
  await person.click(press('Ignored payments'))
  const shown = await dialog('Ignored payments')
  expect(await shown.findByRole('listitem')).toHaveTextContent('0.000000000000000001 USDT')
  expect(shown.getByText('mara@example.com')).toBeVisible()
  await person.type(shown.getByLabelText('Sender, transaction or email'), ' 0xabc ')
  await person.click(shown.getByRole('button', { name: 'Search' }))
  expect(await shown.findByText('No ignored payments found.')).toBeVisible()
  expect(searched).toEqual([undefined, '0xabc'])
})

test('a payment buys nodes for an account: prefilled, validated, and confirmed', async () => {
  const { person } = open({ deposits: [someReviewDeposit({ probableUserEmail: 'mara@example.com' })] })
  await items()
  const bodies: unknown[] = []
  api.answer(assignDeposit, ({ params, body }) => {
    bodies.push({ ...params, ...body })
    answerAdminPurchases(api, [])
    return { message: 'The deposit is assigned, and its nodes are allocated.' }
  })
  await person.click(press(`Assign the ${name}`))
  const form = await dialog(`Assign the ${name}`)
  const send = () => person.click(form.getByRole('button', { name: 'Assign' }))
  expect(form.getByLabelText('Email of the account')).toHaveValue('mara@example.com')
  expect(form.getByLabelText('Quantity')).toHaveValue('10')
  expect(form.getByText('31.5 USDT pays for 10 nodes at the price when its block was mined.')).toBeVisible()

  await person.clear(form.getByLabelText('Email of the account'))
  await send()
  expect(form.getByText('Please enter a valid email')).toBeVisible()
  expect(form.getByLabelText('Email of the account')).toHaveFocus()
  await person.type(form.getByLabelText('Email of the account'), 'Nia@Example.com')
  await person.clear(form.getByLabelText('Quantity'))
  await person.type(form.getByLabelText('Quantity'), '0')
  await send()
  expect(form.getByText('Please enter a quantity.')).toBeVisible()
  await person.clear(form.getByLabelText('Quantity'))
  await person.type(form.getByLabelText('Quantity'), '9')
  await send()
  expect(form.getByText('Please enter a note.')).toBeVisible()
  await person.type(form.getByLabelText('Note'), 'Her second wallet')
  await send()

  const question = await dialog(`Assign the ${name}?`)
  expect(question.getByText("9 nodes will be allocated to nia@example.com. This can't be undone.")).toBeVisible()
  expect(bodies).toEqual([])
  await person.click(question.getByRole('button', { name: 'Assign' }))
  expect(await toast().findByText('Payment Assigned')).toBeVisible()
  expect(bodies).toEqual([
    { id: someReviewDeposit().id, userEmail: 'nia@example.com', quantity: 9, note: 'Her second wallet', overridden: [] },
  ])
  expect(await screen.findByText('Nothing to review.')).toBeVisible()
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('a payment attached to a purchase is assigned to it', async () => {
  const purchase = someReviewPurchase()
  const { person } = open({
    deposits: [someReviewDeposit({ reason: 'overpaid', purchaseId: purchase.id })],
    purchases: [purchase],
  })
  const bodies: unknown[] = []
  api.answer(assignDeposit, ({ body }) => {
    bodies.push(body)
    return { message: 'The deposit is assigned, and its nodes are allocated.' }
  })
  expect((await items())[0]).toHaveTextContent('Intended forpurchase of 10 nodes by mara@example.com')
  await person.click(press(`Assign the ${name}`))
  const form = await dialog(`Assign the ${name}`)
  expect(form.getByRole('radio', { name: 'Waiting purchase' })).toBeChecked()
  expect(await form.findByRole('radio', { name: /^10 nodes for 30 USDT/ })).toBeChecked()
  await person.type(form.getByLabelText('Note'), 'A little too much')
  await person.click(form.getByRole('button', { name: 'Assign' }))
  const question = await dialog(`Assign the ${name}?`)
  const surplus = 'It pays for the purchase of 10 nodes by mara@example.com, and the rest of 1.5 USDT buys nothing.'
  expect(question.getByText((text) => text.startsWith(surplus))).toBeVisible()
  await person.click(question.getByRole('button', { name: 'Assign' }))
  expect(await toast().findByText('Payment Assigned')).toBeVisible()
  const overridden = [{ code: 'received_more', facts: { received: '31.5', due: '30' } }]
  expect(bodies).toEqual([{ purchaseId: purchase.id, note: 'A little too much', overridden }])
})

test.each([
  ['18', 'It pays for the purchase of 10 nodes by mara@example.com, together with what its wallet has paid for it before. '],
  ['19', 'It pays for the purchase of 10 nodes by mara@example.com. '],
  ['0', 'It pays for the purchase of 10 nodes by mara@example.com. '],
])('the question says whether earlier payments of %s USDT are used with one of 12 USDT', async (earlier, sentence) => {
  const payment = { received: amountOf(earlier) + amountOf('12'), confirmations: 15, confirmationsNeeded: 15 }
  const purchase = someReviewPurchase({ payment })
  const { person } = open({
    deposits: [someReviewDeposit({ amount: amountOf('12'), purchaseId: purchase.id })],
    purchases: [purchase],
  })
  await items()
  await person.click(press('Assign the payment of 12 USDT from 0x1f3a...2b99'))
  const form = await dialog('Assign the payment of 12 USDT from 0x1f3a...2b99')
  await form.findByRole('radio', { name: /^10 nodes for 30 USDT/ })
  await person.type(form.getByLabelText('Note'), 'By mail')
  await person.click(form.getByRole('button', { name: 'Assign' }))
  const question = await dialog('Assign the payment of 12 USDT from 0x1f3a...2b99?')
  expect(question.getByText((text) => text.startsWith(sentence))).toBeVisible()
})

test('a payment that needs a second person waits for the approval', async () => {
  const { person } = open({ deposits: [someReviewDeposit({ probableUserEmail: 'mara@example.com' })] })
  await items()
  api.answer(assignDeposit, () => {
    throw new ApiError(202, JSON.stringify({ message: 'Proposed. Another administrator has to approve it within 24 hours.' }))
  })
  await person.click(press(`Assign the ${name}`))
  const form = await dialog(`Assign the ${name}`)
  await person.clear(form.getByLabelText('Quantity'))
  await person.type(form.getByLabelText('Quantity'), '5000')
  await person.type(form.getByLabelText('Note'), 'By mail')
  await person.click(form.getByRole('button', { name: 'Assign' }))
  await person.click((await dialog(`Assign the ${name}?`)).getByRole('button', { name: 'Assign' }))
  expect(await toast().findByText('Nothing has changed yet')).toBeVisible()
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('only purchases in review can be paid, and an account without any says so', async () => {
  const { person } = open({ deposits: [someReviewDeposit()] })
  const waiting = somePurchase({ id: crypto.randomUUID(), paymentStatus: 'pending', requestedQuantity: 7 })
  answerAdminPurchases(api, [waiting, somePurchase()], { deposits: [someReviewDeposit()] })
  await items()
  await person.click(press(`Assign the ${name}`))
  const form = await dialog(`Assign the ${name}`)
  await person.click(form.getByRole('radio', { name: 'Waiting purchase' }))
  expect(form.getByText('Enter the email of the account first.')).toBeVisible()
  await person.type(form.getByLabelText('Email of the account'), 'nobody@example.com')
  expect(await form.findByText('This account has no waiting purchase.')).toBeVisible()
  await person.clear(form.getByLabelText('Email of the account'))
  await person.type(form.getByLabelText('Email of the account'), 'mara@example.com')
  expect(await form.findByRole('radio', { name: /^7 nodes/ })).not.toBeChecked()
  expect(form.queryByRole('radio', { name: /^10 nodes/ })).not.toBeInTheDocument()
  await person.click(form.getByRole('button', { name: 'Assign' }))
  expect(form.getByText('Please choose a purchase.')).toBeVisible()
})

test.each([
  ['Restore the nodes?', 'Restore nodes', 'Nodes Restored', restoreNodes, {}],
  ['Leave the nodes frozen?', 'Leave frozen', 'Nodes Left Frozen', ignoreDeposit, { state: 'orphaned' }],
] as const)('of a payment that has vanished, with a reason: %s', async (title, button, done, endpoint, shown) => {
  const { person } = open({ deposits: [someReviewDeposit({ reason: 'orphaned', purchaseId: crypto.randomUUID() })] })
  const [item] = await items()
  expect(item).toHaveTextContent('Intended fora purchase that has its nodes')
  expect(within(item!).queryByRole('button', { name: /Assign|refunded|Ignore/ })).not.toBeInTheDocument()
  const bodies: unknown[] = []
  api.answer(endpoint, ({ body }) => {
    bodies.push(body)
    answerAdminPurchases(api, [])
    return { message: 'Done.' }
  })
  await person.click(within(item!).getByRole('button', { name: new RegExp(`^${button}: `) }))
  const form = await dialog(title)
  await person.click(form.getByRole('button', { name: button }))
  expect(form.getByText('Please enter a reason.')).toBeVisible()
  await person.type(form.getByLabelText('Reason'), 'She pays again')
  await person.click(form.getByRole('button', { name: button }))
  expect(await toast().findByText(done)).toBeVisible()
  expect(bodies).toEqual([{ note: 'She pays again', ...shown }])
})

test.each([
  ['of nobody', null, true],
  ['of a user', 'mara@example.com', false],
])('before a payment from a wallet %s is sent back, it warns of exchanges: %s', async (_whose, probableUserEmail, isWarned) => {
  const { person } = open({ deposits: [someReviewDeposit({ probableUserEmail })] })
  await items()
  await person.click(press(`Mark refunded: ${name}`))
  const form = await dialog(`Mark the ${name} as refunded?`)
  expect(form.queryByText('No user has this wallet') !== null).toBe(isWarned)
})

test('before a part of an open purchase is sent back, the purchase is to be closed', async () => {
  const purchase = someReviewPurchase()
  const { person } = open({
    deposits: [someReviewDeposit({ purchaseId: purchase.id, reason: 'underpaid' })],
    purchases: [purchase],
  })
  await items()
  await person.click(press(`Mark refunded: ${name}`))
  const form = await dialog('Do not send this payment back yet')
  expect(form.getByText(/Reject or cancel the purchase first\.$/)).toBeVisible()
  expect(form.queryByText('Refund to')).not.toBeInTheDocument()
})

test('a refund of less than was sent requires a reason', async () => {
  const { person } = open({ deposits: [someReviewDeposit()] })
  await items()
  const bodies: unknown[] = []
  api.answer(refundDeposit, ({ body }) => {
    bodies.push(body)
    if (!body.reason)
      throw refusal(
        409,
        'reason_required',
        'This transaction returns 31 of 31.5 USDT. Please enter the reason for the difference.',
      )
    return { message: 'The deposit is marked as refunded.' }
  })
  await person.click(press(`Mark refunded: ${name}`))
  const form = await dialog(`Mark the ${name} as refunded?`)
  await person.click(form.getByLabelText('Transaction hash of the refund'))
  await person.paste(hash)
  await person.type(form.getByLabelText('Note'), 'Sent back')
  expect(form.queryByLabelText('Reason for the lower amount')).not.toBeInTheDocument()
  await person.click(form.getByRole('button', { name: 'Mark refunded' }))
  expect(
    await form.findByText('This transaction returns 31 of 31.5 USDT. Please enter the reason for the difference.'),
  ).toBeVisible()
  expect(form.getByLabelText('Reason for the lower amount')).toHaveFocus()
  await person.keyboard('The fee of the exchange')
  await person.click(form.getByRole('button', { name: 'Mark refunded' }))
  expect(await toast().findByText('Payment Refunded')).toBeVisible()
  expect(bodies).toEqual([
    { transactionHash: hash, note: 'Sent back' },
    { transactionHash: hash, note: 'Sent back', reason: 'The fee of the exchange' },
  ])
})

test("a refund requires a hash and a note, and shows the chain's objections", async () => {
  const { person } = open({ deposits: [someReviewDeposit()] })
  await items()
  const bodies: unknown[] = []
  const refusals = ['This transaction is not on the chain. It may not be mined yet.']
  api.answer(refundDeposit, ({ body }) => {
    bodies.push(body)
    const message = refusals.pop()
    if (message) throw refusal(409, 'transaction_not_found', message)
    return { message: 'The deposit is marked as refunded.' }
  })
  await person.click(press(`Mark refunded: ${name}`))
  const form = await dialog(`Mark the ${name} as refunded?`)
  const send = () => person.click(form.getByRole('button', { name: 'Mark refunded' }))
  const field = form.getByLabelText('Transaction hash of the refund')
  expect(form.getByText(someReviewDeposit().sender)).toBeVisible()
  await send()
  expect(field).toHaveAccessibleDescription('please enter the transaction hash')
  await person.type(field, '0x12')
  await send()
  expect(field).toHaveAccessibleDescription('not a valid transaction hash format, 0x + 64 characters')
  await person.clear(field)
  await person.click(field)
  await person.paste(hash)
  await send()
  expect(form.getByLabelText('Note')).toHaveAccessibleDescription('Please enter a note.')
  await person.type(form.getByLabelText('Note'), 'Sent back')
  await send()
  expect(await form.findByText('This transaction is not on the chain. It may not be mined yet.')).toBeVisible()
  await send()
  expect(await toast().findByText('Payment Refunded')).toBeVisible()
  expect(bodies).toEqual([
    { transactionHash: hash, note: 'Sent back' },
    { transactionHash: hash, note: 'Sent back' },
  ])
})

test('ignoring requires a reason, and the second administrator sees who was first', async () => {
  const { person } = open({ deposits: [someReviewDeposit()] })
  await items()
  api.answer(ignoreDeposit, ({ body }) => {
    expect(body).toEqual({ note: 'A test of ours', state: 'review' })
    answerAdminPurchases(api, [])
    throw refusal(409, 'deposit_closed', 'This deposit is refunded already.')
  })
  await person.click(press(`Ignore the ${name}`))
  const form = await dialog(`Ignore the ${name}?`)
  await person.click(form.getByRole('button', { name: 'Ignore payment' }))
  expect(form.getByText('Please enter a reason.')).toBeVisible()
  await person.type(form.getByLabelText('Reason'), 'A test of ours')
  await person.click(form.getByRole('button', { name: 'Ignore payment' }))
  expect(await toast().findByText('Already decided')).toBeVisible()
  expect(
    toast().getByText('Another administrator already decided. This deposit is refunded already. The lists have been updated.'),
  ).toBeVisible()
  expect(await screen.findByText('Nothing to review.')).toBeVisible()
})

test.each([
  ['Allocate', approvePurchase, 'Purchase Confirmed'],
  ['Reject', rejectPurchase, 'Purchase Rejected'],
] as const)('%s decides on a purchase that is not paid as it is, with a reason', async (label, endpoint, title) => {
  const { person } = open({
    purchases: [
      someReviewPurchase({
        payment: { confirmations: 4, confirmationsNeeded: 4, received: amountOf('29.5') },
        adminNotes: 'Wrote to us.',
      }),
    ],
  })
  const [item] = await items()
  expect(item).toHaveTextContent('The amount received does not match the purchase price.')
  expect(item).toHaveTextContent('Purchase price30 USDT')
  expect(item).toHaveTextContent('Amount received29.5 USDT')
  expect(item).toHaveTextContent('NotesWrote to us.')
  const bodies: unknown[] = []
  const isSettled = Promise.withResolvers<void>()
  api.answer(endpoint, async ({ body }) => {
    bodies.push(body)
    await isSettled.promise
    if (bodies.length === 1) throw refusal(409, 'request_in_progress', 'A payment is being settled right now.')
    return { message: 'Done.', purchase: somePurchase() }
  })
  await person.click(press(`${label} the purchase of 10 nodes by mara@example.com`))
  const form = await dialog(`${label} the purchase of 10 nodes by mara@example.com?`)
  expect(form.getByText(/29\.5 USDT/)).toBeVisible()
  await person.click(form.getByRole('button', { name: label }))
  expect(form.getByText('Please enter a reason.')).toBeVisible()
  await person.type(form.getByLabelText('Reason'), 'As agreed')
  await person.click(form.getByRole('button', { name: label }))
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog')).toBeVisible()
  isSettled.resolve()
  expect(await toast().findByText('A payment is being settled right now.')).toBeVisible()
  await person.click(await form.findByRole('button', { name: label }))
  expect(await toast().findByText(title)).toBeVisible()
  const sent = { notes: 'As agreed', ...(label === 'Allocate' && { overridden: [paysLess.objection] }) }
  expect(bodies).toEqual([sent, sent])
})

const paysLess = {
  objection: { code: 'received_less', facts: { received: '29.5', due: '30' } },
  message: 'Final payments of 29.5 USDT count for this, but 30 USDT is due.',
}
const ofAnother = {
  objection: { code: 'payment_of_another', facts: { account: 'sora@example.com' } },
  message: 'This payment is recorded as one of another account: sora@example.com.',
}
const told = ({ objection, message }: typeof paysLess | typeof ofAnother) => ({ ...objection, message })

test('a purchase is allocated despite what speaks against it once that was shown, and shown again if it has changed', async () => {
  const { person } = open({
    purchases: [someReviewPurchase({ payment: { confirmations: 4, confirmationsNeeded: 4, received: amountOf('30') } })],
  })
  await items()
  const bodies: unknown[] = []
  api.answer(approvePurchase, ({ body }) => {
    bodies.push(body)
    if (bodies.length === 1) throw objecting(told(paysLess))
    if (bodies.length === 2) throw objecting(told(paysLess), told(ofAnother))
    return { message: 'Done.', purchase: somePurchase() }
  })
  await person.click(press('Allocate the purchase of 10 nodes by mara@example.com'))
  const form = await dialog('Allocate the purchase of 10 nodes by mara@example.com?')
  expect(form.getByText(/30 USDT of 30 USDT was received/)).toBeVisible()
  await person.click(form.getByRole('button', { name: 'Allocate' }))
  expect(await form.findByText(paysLess.message)).toBeVisible()
  expect(form.queryByText(/30 USDT of 30 USDT was received/), 'no longer true').not.toBeInTheDocument()
  await person.click(form.getByRole('button', { name: 'Allocate anyway' }))
  expect(form.getByText('Please enter a reason.')).toBeVisible()
  await person.type(form.getByLabelText('Reason'), 'A gift')
  await person.click(form.getByRole('button', { name: 'Allocate anyway' }))
  expect(await form.findByText(ofAnother.message)).toBeVisible()
  expect(form.getByLabelText('Reason')).toHaveValue('A gift')
  await person.click(form.getByRole('button', { name: 'Allocate anyway' }))
  expect(await toast().findByText('Purchase Confirmed')).toBeVisible()
  expect(bodies).toEqual([
    { overridden: [] },
    { notes: 'A gift', overridden: [paysLess.objection] },
    { notes: 'A gift', overridden: [paysLess.objection, ofAnother.objection] },
  ])
})

test('a payment of another account is assigned only after that was shown', async () => {
  const { person } = open({ deposits: [someReviewDeposit({ probableUserEmail: 'mara@example.com' })] })
  await items()
  const bodies: unknown[] = []
  api.answer(assignDeposit, ({ body }) => {
    bodies.push(body)
    if (!body.overridden?.length) throw objecting(told(ofAnother))
    return { message: 'The deposit is assigned, and its nodes are allocated.' }
  })
  await person.click(press(`Assign the ${name}`))
  const form = await dialog(`Assign the ${name}`)
  await person.type(form.getByLabelText('Note'), 'Hers')
  await person.click(form.getByRole('button', { name: 'Assign' }))
  const question = await dialog(`Assign the ${name}?`)
  await person.click(question.getByRole('button', { name: 'Assign' }))
  expect(await question.findByText(ofAnother.message)).toBeVisible()
  await person.click(question.getByRole('button', { name: 'Cancel' }))
  expect(form.getByLabelText('Note')).toHaveValue('Hers')

  await person.click(form.getByRole('button', { name: 'Assign' }))
  const again = await dialog(`Assign the ${name}?`)
  expect(again.queryByText(ofAnother.message), 'it may have changed').not.toBeInTheDocument()
  await person.click(again.getByRole('button', { name: 'Assign' }))
  await person.click(await again.findByRole('button', { name: 'Assign anyway' }))
  expect(await toast().findByText('Payment Assigned')).toBeVisible()
  const sent = { userEmail: 'mara@example.com', quantity: 10, note: 'Hers', overridden: [] }
  expect(bodies).toEqual([sent, sent, { ...sent, overridden: [ofAnother.objection] }])
})

test.each([
  [`Assign the ${name}`, [['Note', 'Hers']], ['Assign', 'Assign'], assignDeposit],
  [
    `Mark refunded: ${name}`,
    [
      ['Transaction hash of the refund', hash],
      ['Note', 'Sent back'],
    ],
    ['Mark refunded'],
    refundDeposit,
  ],
  [`Ignore the ${name}`, [['Reason', 'A test of ours']], ['Ignore payment'], ignoreDeposit],
] as const)('nobody can leave the dialog of "%s" before the answer', async (label, fields, presses, endpoint) => {
  const { person } = open({ deposits: [someReviewDeposit({ probableUserEmail: 'mara@example.com' })] })
  await items()
  const isDone = Promise.withResolvers<void>()
  api.answer(endpoint, async () => {
    await isDone.promise
    return { message: 'Done.' }
  })
  await person.click(press(label))
  for (const [field, text] of fields) await person.type(await screen.findByLabelText(field), text)
  const before = screen.getAllByRole('dialog', { hidden: true }).length
  for (const name of presses) await person.click(press(name))
  expect(await screen.findByRole('button', { name: /\.\.\.$/ })).toBeDisabled()
  await person.keyboard('{Escape}')
  expect(screen.getAllByRole('dialog', { hidden: true })).toHaveLength(before + presses.length - 1)
  expect(screen.queryByRole('button', { name: 'Close', hidden: true })).not.toBeInTheDocument()

  isDone.resolve()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})

test('the same input keeps its idempotency key, other input gets a new one', async () => {
  const { person } = open({ deposits: [someReviewDeposit()] })
  await items()
  const keys: (string | null)[] = []
  api.answer(ignoreDeposit, (_, request) => {
    keys.push(request.headers.get('idempotency-key'))
    throw refusal(500, 'internal', 'Something broke.')
  })
  await person.click(press(`Ignore the ${name}`))
  const form = await dialog(`Ignore the ${name}?`)
  const send = () => person.click(form.getByRole('button', { name: 'Ignore payment' }))
  await person.type(form.getByLabelText('Reason'), 'One')
  for (const calls of [1, 2]) {
    await send()
    await waitFor(() => expect(keys).toHaveLength(calls))
    await waitFor(() => expect(form.getByRole('button', { name: 'Ignore payment' })).toBeEnabled())
  }
  await person.type(form.getByLabelText('Reason'), ' two')
  await send()
  await waitFor(() => expect(keys).toHaveLength(3))
  expect(keys[0]).toBe(keys[1])
  expect(keys[2]).not.toBe(keys[0])
})
