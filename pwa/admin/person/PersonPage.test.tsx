import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { assignBonus } from '#shared/contract/admin/bonus.ts'
import {
  addUserNote,
  getPerson,
  listPersonDeposits,
  listPersonMails,
  listPersonNodes,
  listPersonPurchases,
  listPersonWithdrawals,
  listUserNotes,
  type PersonPurchase,
} from '#shared/contract/admin/person.ts'
import { cancelPurchase } from '#shared/contract/admin/purchases.ts'
import { freezeUser, thawUser } from '#shared/contract/admin/users.ts'
import { rejectWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import {
  answerBackOffice,
  answerPerson,
  answerUsers,
  pagingOf,
  someAdminUser,
  someAdminWithdrawal,
  somePerson,
} from '#pwa/testing/adminAnswers.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { amountOf, answerCommonCalls, somePurchase } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'

const api = useFakeApi()
const { id } = somePerson()
const button = (name: string | RegExp) => screen.getByRole('button', { name })

function open({ part, person = somePerson(), at }: { part?: string; person?: ReturnType<typeof somePerson>; at?: string } = {}) {
  answerCommonCalls(api)
  answerBackOffice(api)
  const counted = answerPerson(api, person)
  return { ...renderPage(<AdminArea />, { at: at ?? `/admin-panel/users/${id}${part ? `?part=${part}` : ''}` }), counted }
}

const ofOne = <Row,>(row: Row) => ({ rows: [row], ...pagingOf(1, { limit: 10, offset: 0 }) })

const someBought = (changes: Partial<PersonPurchase> = {}): PersonPurchase => ({
  ...somePurchase(),
  unitPriceUsdt: amountOf('3'),
  wallet: '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c',
  confirmedAt: null,
  ...changes,
})

const cellsOf = async (table: string) => {
  const rows = within(await screen.findByRole('table', { name: table }))
    .getAllByRole('row')
    .slice(1)
  return rows.map((row) =>
    within(row)
      .getAllByRole('cell')
      .map(({ textContent }) => textContent),
  )
}

test('the page names the person, shows the figures and the security, and has the full id to copy', async () => {
  const { person } = open({
    person: somePerson({
      frozen: { thawsAt: null },
      frozenAt: new Date('2026-11-21T08:00:00Z'),
      heldUntil: new Date('2026-11-22T08:00:00Z'),
      passkeys: [
        { id, name: 'Phone', createdAt: new Date('2026-11-20T08:00:00Z'), lastUsedAt: null, isSynced: false, isDisabled: true },
      ],
      sessions: [
        {
          id,
          device: 'Chrome on Android',
          ip: '10.0.0.9',
          since: new Date('2026-11-20T08:00:00Z'),
          lastSeen: new Date('2026-11-20T09:00:00Z'),
        },
      ],
      sessionCount: 21,
    }),
  })

  expect(await screen.findByRole('heading', { level: 1, name: /mara@example\.com/ })).toBeVisible()
  expect(screen.getByRole('region', { name: 'Figures' })).toHaveTextContent('9 paid · 1 bonus · 10 active')
  expect(screen.getByText('FROZEN')).toBeVisible()
  expect(screen.getByText('Withdrawals on hold until 22 Nov 2026, 08:00 UTC')).toBeVisible()
  expect(screen.getByText('Refused, because it was copied')).toBeVisible()
  expect(await cellsOf('Sessions')).toEqual([
    ['Chrome on Android', '10.0.0.9', '20 Nov 2026, 08:00 UTC', '20 Nov 2026, 09:00 UTC'],
  ])
  expect(screen.getByText('Only the latest 1 are listed.')).toBeVisible()

  await person.click(button(`…${id.slice(-8)}, show the full ID`))
  await person.click(button('Copy user ID'))
  expect(await navigator.clipboard.readText()).toBe(id)
  expect(screen.getByRole('link', { name: 'See why' })).toHaveAttribute('href', `/admin-panel/users/${id}?part=xcr`)
})

test('a user of the list leads to the page, and its parts have addresses of their own', async () => {
  const { person, location } = open({ at: '/admin-panel' })
  answerUsers(api, [someAdminUser()])
  await person.click(await screen.findByRole('link', { name: 'mara@example.com' }))
  expect(location()).toBe(`/admin-panel/users/${id}`)

  await person.click(await screen.findByRole('tab', { name: 'Messages' }))
  expect(location()).toBe(`/admin-panel/users/${id}?part=messages`)
  expect(await screen.findByText('No mails were sent in the last 90 days.')).toBeVisible()
  await person.click(screen.getByRole('link', { name: 'All users' }))
  expect(location()).toBe('/admin-panel?tab=users')
})

test.each([
  ['/admin-panel/users/1a2b3c4d', 'This address contains no user ID.'],
  [`/admin-panel/users/${id}`, 'No user has this ID.'],
])('%s without a user says so, and offers the search', async (at, text) => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(getPerson, () => {
    throw refusal(404, 'not_found', 'There is no such user.')
  })
  renderPage(<AdminArea />, { at })
  expect(await screen.findByText(text)).toBeVisible()
  expect(screen.getByRole('textbox', { name: 'Find anything' })).toBeVisible()
  expect(screen.getByRole('link', { name: 'All users' })).toHaveAttribute('href', '/admin-panel?tab=users')
})

test('a page that failed to load can be retried', async () => {
  const { person } = open()
  const refresh = await screen.findByRole('button', { name: 'Refresh the account' })
  api.answer(getPerson, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  await person.click(refresh)
  expect(await screen.findByText('Failed to fetch the account')).toBeVisible()
  answerPerson(api)
  await person.click(button('Try again'))
  expect(await screen.findByRole('heading', { level: 1 })).toBeVisible()
})

test('a purchase confirmed despite an objection is named as that, and its transaction has no link until a payment is seen', async () => {
  const hash = `0x${'ab'.repeat(32)}` as const
  const overridden = { paymentStatus: 'confirmed', transactionHash: hash, confirmedAgainstChain: true } as const
  open({ part: 'purchases' })
  api.answer(listPersonPurchases, () => ({
    rows: [
      someBought({ ...overridden, payment: null, id: '1a2b3c4d-7c00-4000-8000-000000000001' }),
      someBought({
        ...overridden,
        payment: { confirmations: 15, confirmationsNeeded: 15, received: amountOf('30') },
        id: '2a2b3c4d-7c00-4000-8000-000000000002',
      }),
    ],
    ...pagingOf(2, { limit: 10, offset: 0 }),
  }))

  const table = await screen.findByRole('table', { name: 'Purchases' })
  const [unpaid, paid] = within(table).getAllByRole('row').slice(1)
  for (const row of [unpaid!, paid!]) {
    expect(within(row).getByText('Despite an objection')).toBeVisible()
    expect(within(row).queryByText('Normal')).not.toBeInTheDocument()
  }
  expect(within(unpaid!).getByText('No matching payment')).toBeVisible()
  expect(await within(paid!).findByRole('link')).toHaveAttribute('title', hash)
  expect(within(unpaid!).queryByRole('link')).not.toBeInTheDocument()
})

test('payments, nodes and mails are listed; a payment in review leads to its decision', async () => {
  const { person } = open({ part: 'purchases' })
  const at = new Date('2026-11-20T08:00:00Z')
  api.answer(listPersonDeposits, () =>
    ofOne({
      id: '1a2b3c4d-7c00-7000-8000-000000000001',
      transactionHash: `0x${'ab'.repeat(32)}`,
      sender: `0x${'c'.repeat(40)}`,
      amount: amountOf('7'),
      state: 'review' as const,
      reviewReason: 'underpaid' as const,
      purchaseId: null,
      refund: null,
      notes: null,
      seenAt: at,
    }),
  )
  api.answer(listPersonNodes, () =>
    ofOne({
      number: 42,
      kind: 'bonus' as const,
      purchaseId: '3a2b3c4d-7c00-4000-8000-000000000001',
      allocatedAt: at,
      activeFrom: at,
      frozenAt: at,
    }),
  )
  api.answer(listPersonMails, () =>
    ofOne({ id, subject: '<b>Your code</b>', createdAt: at, sentAt: null, attempts: 3, lastError: 'no route' }),
  )
  expect((await cellsOf('Payments'))[0]).toEqual(
    expect.arrayContaining(['7 USDT', 'In reviewLess was received than the purchase costs. Decide']),
  )
  expect(screen.getByRole('link', { name: 'Decide' })).toHaveAttribute(
    'href',
    '/admin-panel?tab=purchases&status=waiting&email=mara%40example.com',
  )
  expect((await cellsOf('Nodes'))[0]).toEqual(expect.arrayContaining(['42', 'BONUS', 'Frozen since 20 Nov 2026, 08:00 UTC']))

  await person.click(screen.getByRole('tab', { name: 'Messages' }))
  expect(await cellsOf('Mails')).toEqual([['<b>Your code</b>', '20 Nov 2026, 08:00 UTC', 'Not sent yetno route']])
})

test('a note is saved and listed; what was typed stays if it cannot be saved', async () => {
  const { person } = open()
  const field = await screen.findByLabelText('New note')
  await person.click(button('Save note'))
  expect(screen.getByText('Please enter a note.')).toBeVisible()
  expect(field).toHaveFocus()

  api.answer(addUserNote, () => {
    throw refusal(503, 'busy', 'The disk is full.')
  })
  await person.type(field, 'Called on Monday.')
  await person.click(button('Save note'))
  expect(await screen.findByText('The note was not saved')).toBeVisible()
  expect(field).toHaveValue('Called on Monday.')

  const note = { id, author: 'admin:keeper', text: 'Called on Monday.', createdAt: new Date('2026-11-20T08:00:00Z') }
  const sent: string[] = []
  api.answer(addUserNote, ({ body: { text } }) => {
    sent.push(text)
    return { message: 'The note is saved.', note }
  })
  api.answer(listUserNotes, () => ofOne(note))
  await person.click(button('Save note'))
  const list = await screen.findByRole('list', { name: 'Notes of administrators' })
  expect(list).toHaveTextContent('Called on Monday.keeper · 20 Nov 2026, 08:00 UTC')
  expect(sent).toEqual(['Called on Monday.'])
  expect(field).toHaveValue('')
})

test('a note that is being written stays while another part is looked at', async () => {
  const { person } = open()
  await person.type(await screen.findByLabelText('New note'), 'Called on Monday.')
  await person.click(screen.getByRole('tab', { name: 'Messages' }))
  await waitFor(() => expect(screen.queryByLabelText('New note')).not.toBeInTheDocument())
  await person.click(screen.getByRole('tab', { name: 'Security and notes' }))
  expect(await screen.findByLabelText('New note')).toHaveValue('Called on Monday.')
})

test('a bonus is granted from the page: what is due is filled in, and more than that is warned about', async () => {
  const { person, counted } = open({
    person: somePerson({ nodes: { paid: 20, bonus: 0, bonusPending: 2, active: 20, frozen: 0 } }),
  })
  const granted: object[] = []
  api.answer(assignBonus, ({ body }) => {
    granted.push(body)
    return { message: 'Granted.', nodeNumbers: [1, 2, 3] }
  })
  await person.click(await screen.findByRole('button', { name: 'Grant bonus' }))
  const dialog = within(await screen.findByRole('dialog'))
  const quantity = dialog.getByLabelText('Quantity')
  expect(quantity).toHaveValue(2)
  expect(dialog.queryByText('This is more than is due. It counts as received.')).not.toBeInTheDocument()
  await person.clear(quantity)
  await person.click(dialog.getByRole('button', { name: 'Grant bonus' }))
  expect(dialog.getByText('Please enter a whole number of at least 1.')).toBeVisible()

  await person.type(quantity, '3')
  expect(dialog.getByText('This is more than is due. It counts as received.')).toBeVisible()
  const before = counted.reads
  await person.click(dialog.getByRole('button', { name: 'Grant bonus' }))
  expect(dialog.getByText('Please enter a reason.')).toBeVisible()
  await person.type(dialog.getByLabelText('Reason'), 'A gift')
  await person.click(dialog.getByRole('button', { name: 'Grant bonus' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(granted).toEqual([{ userEmail: 'mara@example.com', quantity: 3, due: 2, notes: 'A gift' }])
  await expect.poll(() => counted.reads).toBeGreaterThan(before)
})

test('an account is frozen from its page', async () => {
  const { person, counted } = open()
  const reasons: string[] = []
  api.answer(freezeUser, ({ body: { reason } }) => {
    reasons.push(reason)
    return { message: 'Withdrawals that are signed already and will be paid: 1.' }
  })
  const before = counted.reads
  await person.click(await screen.findByRole('button', { name: 'Freeze account' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Freeze the account?' }))
  await person.click(dialog.getByRole('button', { name: 'Freeze account' }))
  expect(dialog.getByLabelText('Reason')).toHaveAccessibleDescription(/Please enter a reason/)
  await person.type(dialog.getByLabelText('Reason'), 'Logins from two countries.')
  await person.click(dialog.getByRole('button', { name: 'Freeze account' }))
  expect(await screen.findByText('Withdrawals that are signed already and will be paid: 1.')).toBeVisible()
  expect(reasons).toEqual(['Logins from two countries.'])
  await expect.poll(() => counted.reads).toBeGreaterThan(before)
})

test.each([
  [null, false],
  [new Date('2026-07-01T00:00:00Z'), true],
])('a frozen account whose thaw is planned for %s can be frozen again: %s', async (thawsAt, isOffered) => {
  open({ person: somePerson({ frozen: { thawsAt } }) })
  expect(await screen.findByRole('button', { name: 'Thaw account' })).toBeVisible()
  expect(screen.queryAllByRole('button', { name: 'Freeze account' })).toHaveLength(isOffered ? 1 : 0)
})

test('a frozen account is thawed, its purchase cancelled and its withdrawal rejected from the page, which then shows it', async () => {
  const { person, counted } = open({ person: somePerson({ frozen: { thawsAt: null } }), part: 'purchases' })
  const done: string[] = []
  api.answer(listPersonPurchases, () => ofOne(someBought({ paymentStatus: 'pending' })))
  api.answer(listPersonWithdrawals, () =>
    ofOne(someAdminWithdrawal({ status: 'manual_review', reviewReason: 'above_limit', needsReview: true })),
  )
  api.answer(thawUser, ({ body: { reason } }) => {
    done.push(`thaw: ${reason}`)
    return { message: 'The account is thawed.' }
  })
  api.answer(cancelPurchase, ({ body: { reason } }) => {
    done.push(`cancel: ${reason}`)
    return { message: 'The purchase is cancelled.', purchase: somePurchase() }
  })
  api.answer(rejectWithdrawal, ({ body: { reason } }) => {
    done.push(`reject: ${reason}`)
    return { message: 'The withdrawal is rejected and refunded.', withdrawal: someAdminWithdrawal() }
  })
  const answer = async (opener: string | RegExp, reason: string, action: string) => {
    const before = counted.reads
    await person.click(await screen.findByRole('button', { name: opener }))
    const dialog = within(await screen.findByRole('dialog'))
    await person.type(dialog.getByLabelText('Reason'), reason)
    await person.click(dialog.getByRole('button', { name: action }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await expect.poll(() => counted.reads).toBeGreaterThan(before)
  }

  await answer('Thaw account', 'He called.', 'Thaw account')
  await answer(/^Cancel: purchase/, 'He asked.', 'Cancel purchase')
  await person.click(screen.getByRole('tab', { name: 'Withdrawals and rewards' }))
  await answer(/^Reject/, 'A wrong wallet.', 'Reject withdrawal')
  expect(done).toEqual(['thaw: He called.', 'cancel: He asked.', 'reject: A wrong wallet.'])
})

test('a visitor is led to the login, and from there back to the page', async () => {
  answerCommonCalls(api)
  answerBackOffice(api, { isLoggedIn: false })
  const { location } = renderPage(<AdminArea />, { at: `/admin-panel/users/${id}?part=audit` })
  await waitFor(() => expect(location()).toBe('/admin1'))
  expect(sessionStorage.getItem('admin_asked_view')).toBe(`/admin-panel/users/${id}?part=audit`)
})
