import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { assignBonus, type BonusRow, grantDueBonus, listBonusDue, listBonusStatus } from '#shared/contract/admin/bonus.ts'
import { getAdminStats } from '#shared/contract/admin/office.ts'
import { listAdminPurchases } from '#shared/contract/admin/purchases.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { proxyAnswer, refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { answerBonus, someBonusRow } from '#pwa/testing/purchaseAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { BonusTab } from './BonusTab.tsx'

const api = useFakeApi()

function open(users: BonusRow[], { remaining = 19_000 } = {}) {
  const asked = answerBonus(api, users, { remaining })
  return { ...renderPage(<BonusTab />, { at: '/admin-panel?tab=bonus' }), asked }
}

const rows = async () =>
  within(await screen.findByRole('table', { name: 'Bonus status' }))
    .getAllByRole('row')
    .slice(1)
const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map((cell) => cell.textContent)
const press = (name: string) => screen.getByRole('button', { name })
const toast = () => within(screen.getByLabelText('Notifications'))
const broken = () => Promise.reject(refusal(500, 'internal', 'Something broke.'))
const invalid = 'enter a valid user ID and quantity'

test('each user is shown with paid, due, received and pending nodes, in one of three states', async () => {
  open([
    someBonusRow(),
    someBonusRow({ userId: crypto.randomUUID(), bonusReceived: 2, bonusPending: 0 }),
    someBonusRow({ userId: crypto.randomUUID(), paidNodes: 9, bonusEligible: 0, bonusPending: 0 }),
  ])
  expect(screen.getByText('Loading bonus status')).toBeInTheDocument()
  expect((await rows()).map(cells)).toEqual([
    ['maramara@example.com', '20', '2', '0', '2', 'Pending'],
    ['maramara@example.com', '20', '2', '2', '0', 'Done'],
    ['maramara@example.com', '9', '0', '0', '0', 'Not applicable'],
  ])
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
    'User',
    'Paid nodes',
    'Bonus eligible',
    'Received',
    'Pending',
    'Status',
  ])
})

test('a page has fifteen users, and is kept in the address', async () => {
  const users = Array.from({ length: 16 }, () => someBonusRow({ userId: crypto.randomUUID() }))
  const { person, location, asked } = open(users)
  expect(await rows()).toHaveLength(15)
  await person.click(press('Next'))
  await waitFor(async () => expect(await rows()).toHaveLength(1))
  expect(location()).toBe('/admin-panel?tab=bonus&page=2')
  expect(asked).toEqual([1, 2])
})

test('a failure is shown in the tab and can be retried', async () => {
  api.answer(listBonusStatus, broken)
  const { person } = renderPage(<BonusTab />)
  expect(await screen.findByText('Failed to fetch bonus status')).toBeVisible()
  expect(screen.getByText(/Something broke\./)).toBeVisible()
  answerBonus(api, [someBonusRow()])
  await person.click(press('Try again'))
  expect(await rows()).toHaveLength(1)
})

test('without permission the list is empty, and shows no error', async () => {
  api.answer(listBonusStatus, () => Promise.reject(refusal(403, 'forbidden', 'You may not.')))
  renderPage(<BonusTab />)
  expect(await screen.findByText('No users yet.')).toBeVisible()
  expect(screen.queryByText('Failed to fetch bonus status')).not.toBeInTheDocument()
})

test.each([
  ['', '1'],
  ['not an address', '1'],
  ['mara@example.com', ''],
  ['mara@example.com', '0'],
  ['mara@example.com', '-1'],
  ['mara@example.com', '1.5'],
])('a grant to "%s" of "%s" is refused', async (email, quantity) => {
  const { person } = open([someBonusRow()])
  await rows()
  expect(screen.getByLabelText('Quantity')).toHaveAttribute('min', '1')
  if (email) await person.type(screen.getByLabelText('User email'), email)
  await person.clear(screen.getByLabelText('Quantity'))
  if (quantity) await person.type(screen.getByLabelText('Quantity'), quantity)
  await person.click(press('Grant bonus'))
  expect(await toast().findByText(invalid)).toBeVisible()
  expect(screen.getByLabelText(email.includes('@') ? 'Quantity' : 'User email')).toHaveAccessibleDescription(
    expect.stringContaining(invalid),
  )
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('a bonus is granted after a confirmation; the form resets and the figures are refetched', async () => {
  const users = [someBonusRow()]
  const { person, queryClient } = open(users)
  const refreshed = vi.spyOn(queryClient, 'invalidateQueries')
  await rows()
  const bodies: unknown[] = []
  api.answer(assignBonus, ({ body }) => {
    bodies.push(body)
    users[0] = someBonusRow({ bonusReceived: 3, bonusPending: 0 })
    return { message: '3 bonus nodes are granted to mara@example.com.', nodeNumbers: [1, 2, 3] }
  })
  await person.type(screen.getByLabelText('User email'), ' Mara@example.com ')
  await person.clear(screen.getByLabelText('Quantity'))
  await person.type(screen.getByLabelText('Quantity'), '3')
  expect(await screen.findByText('Due: 2')).toBeVisible()
  expect(screen.getByText('This is more than is due. It counts as received.')).toBeVisible()
  await person.type(screen.getByLabelText('Reason'), 'A gift')
  await person.click(press('Grant bonus'))
  const question = within(await screen.findByRole('dialog', { name: 'Grant 3 bonus nodes to mara@example.com?' }))
  expect(bodies).toEqual([])
  await person.click(question.getByRole('button', { name: 'Grant bonus' }))

  expect(await toast().findByText('Bonus Granted')).toBeVisible()
  expect(toast().getByText('3 bonus nodes are granted to mara@example.com.')).toBeVisible()
  expect(bodies).toEqual([{ userEmail: 'mara@example.com', quantity: 3, due: 2, notes: 'A gift' }])
  expect(screen.getByLabelText('User email')).toHaveValue('')
  await waitFor(async () => expect(cells((await rows())[0]!)[5]).toBe('Done'))
  expect(refreshed.mock.calls.map(([filters]) => String(filters?.queryKey?.[0]))).toEqual(
    expect.arrayContaining([getAdminStats.path, listAdminPurchases.path, getNodeStats.path, listBonusStatus.path]),
  )
})

test('an email that a search does not find is called unknown, unless too many others contain it', async () => {
  const others = Array.from({ length: 101 }, (_, index) =>
    someBonusRow({ userId: crypto.randomUUID(), userEmail: `${index}mara@example.com` }),
  )
  const { person } = open(others.slice(0, 3))
  await rows()
  const typed = screen.getByLabelText('User email')
  await person.type(typed, 'mara@example.com')
  await waitFor(() => expect(typed).toHaveAccessibleDescription('No user has this email.'))

  answerBonus(api, others)
  await person.clear(typed)
  await person.type(typed, 'ara@example.com')
  await waitFor(() => expect(typed).toHaveAccessibleDescription('Too many emails contain this one to look up what is due.'))
})

test('a failed grant shows an error, and a retry has the same idempotency key', async () => {
  const { person } = open([someBonusRow()])
  await rows()
  const keys: (string | null)[] = []
  api.answer(assignBonus, (_, request) => {
    keys.push(request.headers.get('idempotency-key'))
    throw refusal(409, 'insufficient_supply', 'Insufficient remaining node quantity.')
  })
  await person.type(screen.getByLabelText('User email'), 'mara@example.com')
  for (const calls of [1, 2]) {
    await person.click(press('Grant bonus'))
    const question = within(await screen.findByRole('dialog'))
    await person.click(question.getByRole('button', { name: 'Grant bonus' }))
    await waitFor(() => expect(keys).toHaveLength(calls))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  }
  const tab = within(screen.getByRole('heading', { name: 'Manual bonus grant' }).closest('section')!)
  expect(tab.getByText('Failed to grant bonus.')).toBeVisible()
  expect(tab.getByText('Insufficient remaining node quantity.')).toBeVisible()
  expect(toast().getByText('Failed to grant bonus.')).toBeVisible()
  expect(screen.getByLabelText('User email')).toHaveValue('mara@example.com')
  expect(keys[0]).toBe(keys[1])
})

test('a grant whose answer was lost is not called failed', async () => {
  const { person } = open([someBonusRow()])
  await rows()
  api.answer(assignBonus, () => {
    throw proxyAnswer(502)
  })
  await person.type(screen.getByLabelText('User email'), 'mara@example.com')
  await person.click(press('Grant bonus'))
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Grant bonus' }))
  const form = within(screen.getByRole('heading', { name: 'Manual bonus grant' }).closest('section')!)
  expect(await form.findByText('Outcome Unknown')).toBeVisible()
  expect(toast().getByText('Outcome Unknown')).toBeVisible()
  expect(screen.queryByText('Failed to grant bonus.')).not.toBeInTheDocument()
})

test('a grant that is under way cannot be left and begun again', async () => {
  const { person } = open([someBonusRow()])
  await rows()
  const isGranted = Promise.withResolvers<void>()
  let grants = 0
  api.answer(assignBonus, async () => {
    grants += 1
    await isGranted.promise
    return { message: '2 bonus nodes are granted to mara@example.com.', nodeNumbers: [1, 2] }
  })
  await person.type(screen.getByLabelText('User email'), 'mara@example.com')
  await person.click(press('Grant bonus'))
  const question = within(await screen.findByRole('dialog'))
  await person.click(question.getByRole('button', { name: 'Grant bonus' }))
  expect(await question.findByRole('button', { name: 'Granting...' })).toBeDisabled()
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog', { name: 'Grant 1 bonus node to mara@example.com?' })).toBeVisible()
  expect(question.queryByRole('button', { name: 'Close' })).not.toBeInTheDocument()

  isGranted.resolve()
  expect(await toast().findByText('Bonus Granted')).toBeVisible()
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  expect(grants).toBe(1)
})

test('the guidance explains what is due and when it is granted', async () => {
  open([someBonusRow()])
  const guidance = screen.getByRole('region', { name: 'Guidance' })
  expect(guidance).toHaveTextContent('One bonus node is due for every 10 paid nodes')
  expect(guidance).toHaveTextContent('Bonus nodes do not count toward the next one.')
  expect(guidance).toHaveTextContent('once a week')
  await rows()
})

test('a preview shows each grant, the sum and the remaining supply before granting', async () => {
  const users = [
    someBonusRow(),
    someBonusRow({ userId: '01936b2a-7c00-7000-8000-000000000002', userEmail: 'nia@example.com', bonusPending: 1 }),
    someBonusRow({ userId: '01936b2a-7c00-7000-8000-000000000003', bonusPending: 0 }),
  ]
  const { person } = open(users, { remaining: 500 })
  await rows()
  const bodies: unknown[] = []
  const isGranted = Promise.withResolvers<void>()
  api.answer(grantDueBonus, async ({ body }) => {
    bodies.push(body)
    await isGranted.promise
    const granted = users.splice(0)
    return { message: '3 bonus nodes are granted.', granted }
  })
  await person.click(press('Grant all due'))
  const preview = within(await screen.findByRole('dialog', { name: 'Grant all due bonuses?' }))
  expect((await preview.findAllByRole('listitem')).map((item) => item.textContent)).toEqual([
    'mara@example.com+2',
    'nia@example.com+1',
  ])
  expect(preview.getByText('Total for 2 users').nextElementSibling).toHaveTextContent('3')
  expect(preview.getByText('Remaining supply').nextElementSibling).toHaveTextContent('500')
  expect(preview.getByText('Remaining afterwards').nextElementSibling).toHaveTextContent('497')
  await person.click(preview.getByRole('button', { name: 'Grant 3 bonus nodes' }))
  expect(await preview.findByRole('button', { name: 'Granting...' })).toBeDisabled()
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog')).toBeVisible()
  isGranted.resolve()
  expect(await toast().findByText('Bonus Granted')).toBeVisible()
  expect(bodies).toEqual([{ userIds: ['01936b2a-7c00-7000-8000-000000000001', '01936b2a-7c00-7000-8000-000000000002'] }])
  expect(await screen.findByText('No users yet.')).toBeVisible()
})

test('grants beyond the supply are refused', async () => {
  const { person } = open([someBonusRow({ bonusPending: 12 })], { remaining: 5 })
  await person.click(press('Grant all due'))
  expect(await screen.findByText('Not enough supply')).toBeVisible()
  expect(screen.getByText(/^7 nodes are missing\./)).toBeVisible()
  expect(press('Grant')).toBeDisabled()
})

test('without pending bonuses there is nothing to grant', async () => {
  const { person } = open([someBonusRow({ bonusPending: 0 })])
  await person.click(press('Grant all due'))
  expect(await screen.findByText('No bonus is due.')).toBeVisible()
  expect(press('Grant')).toBeDisabled()
})

test('a preview that fails to load can be retried', async () => {
  const { person } = open([someBonusRow()])
  api.answer(listBonusDue, broken)
  await person.click(press('Grant all due'))
  const preview = within(await screen.findByRole('dialog'))
  expect(await preview.findByText('Failed to fetch bonus status')).toBeVisible()
  answerBonus(api, [someBonusRow()])
  await person.click(preview.getByRole('button', { name: 'Try again' }))
  expect(await preview.findByRole('button', { name: 'Grant 2 bonus nodes' })).toBeEnabled()
})
