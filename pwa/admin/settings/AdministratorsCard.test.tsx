import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { AdminRole } from '#shared/adminRoles.ts'
import {
  changeAdministrator,
  inviteAdministrator,
  listAdministrators,
  removeAdministrator,
  revokeInvitation,
} from '#shared/contract/admin/administrators.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { answerBackOffice, someAdministrator } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdministratorsCard } from './AdministratorsCard.tsx'

const api = useFakeApi()

const dora = someAdministrator({
  id: '01936b2a-7c00-7000-8000-0000000000ab',
  username: 'dora',
  email: 'dora@example.com',
  role: 'finance',
  factors: [],
  lastSeenAt: null,
})
const invitation = {
  id: '01936b2a-7c00-7000-8000-0000000000ac',
  email: 'emil@example.com',
  role: 'support' as const,
  invitedBy: 'keeper',
  expiresAt: new Date('2026-11-23T07:00:00Z'),
}

async function open({ role = 'finance' as AdminRole, isRefused = false } = {}) {
  answerCommonCalls(api)
  answerBackOffice(api, { otpEnabled: true, owners: role === 'owner' ? 2 : 1 })
  const sent: unknown[] = []
  const lists = { administrators: [someAdministrator(), { ...dora, role }], invitations: [invitation] }
  api.answer(listAdministrators, () => lists)
  const answer = (name: string, { body, params }: { body?: unknown; params?: unknown }) => {
    if (isRefused) throw refusal(409, 'last_owner', 'Somebody must stay an owner. Make somebody else an owner first.')
    sent.push([name, params, body])
    return { message: 'Done.' }
  }
  api.answer(inviteAdministrator, (input) => answer('invite', input))
  api.answer(changeAdministrator, (input) => answer('change', input))
  api.answer(removeAdministrator, (input) => answer('remove', input))
  api.answer(revokeInvitation, (input) => answer('revoke', input))
  const { person } = renderPage(<AdministratorsCard />)
  const list = within(await screen.findByRole('list', { name: 'Administrators' }))
  const typeCode = async () => person.type(await screen.findByLabelText('Current 6-digit code'), '123456')
  return { person, sent, list, typeCode }
}

test('administrators are shown with their roles; nobody changes the own one', async () => {
  const { list } = await open()
  const [me, other] = list.getAllByRole('listitem')
  expect(me).toHaveTextContent('keeper (you)')
  expect(me).toHaveTextContent('Owner')
  expect(within(me!).queryByRole('button')).not.toBeInTheDocument()
  expect(other).toHaveTextContent('Finance · dora@example.com')
  expect(other).toHaveTextContent('Not logged in')
  expect(other).toHaveTextContent('Password only')
})

test('a single owner is told what nobody has to approve, and two are not', async () => {
  await open()
  expect(screen.getByText('There is one owner')).toBeVisible()
  cleanup()
  await open({ role: 'owner' })
  expect(screen.queryByText('There is one owner')).not.toBeInTheDocument()
})

test('an invitation needs an address and a code, and says what the role allows', async () => {
  const { person, sent, typeCode } = await open()
  await person.click(screen.getByRole('button', { name: 'Invite an administrator' }))
  const send = await screen.findByRole('button', { name: 'Send invitation' })
  await typeCode()
  expect(send).toBeDisabled()
  await person.type(screen.getByLabelText('Email'), 'Fay@Example.com')
  expect(screen.getByText('Sees everything and changes nothing.')).toBeVisible()
  await person.selectOptions(screen.getByLabelText('Role'), 'support')
  expect(screen.getByText(/^Helps people/)).toBeVisible()
  await person.click(send)
  expect(await screen.findByText('Invitation Sent')).toBeVisible()
  expect(sent).toEqual([['invite', undefined, { token: '123456', email: 'fay@example.com', role: 'support' }]])
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})

test('a role is changed, and an administrator removed, with a code', async () => {
  const { person, sent, typeCode } = await open()
  await person.click(screen.getByRole('button', { name: 'Change role of dora' }))
  await typeCode()
  expect(screen.getByRole('button', { name: 'Change role' })).toBeDisabled()
  await person.selectOptions(screen.getByLabelText('Role'), 'viewer')
  await person.click(screen.getByRole('button', { name: 'Change role' }))
  expect(await screen.findByText('Role Changed')).toBeVisible()

  await person.click(screen.getByRole('button', { name: 'Remove dora' }))
  await typeCode()
  await person.type(screen.getByLabelText('Reason'), 'Has left')
  await person.click(screen.getByRole('button', { name: 'Remove administrator' }))
  expect(await screen.findByText('Administrator Removed')).toBeVisible()
  expect(sent).toEqual([
    ['change', { id: dora.id }, { token: '123456', role: 'viewer', replaces: dora.role }],
    ['remove', { id: dora.id }, { token: '123456', reason: 'Has left' }],
  ])
})

test('a role that another administrator has changed meanwhile is named by the next press', async () => {
  const { person, typeCode } = await open()
  const named: unknown[] = []
  api.answer(changeAdministrator, ({ body: { replaces } }) => {
    named.push(replaces)
    if (replaces !== 'finance') return { message: 'Done.' }
    api.answer(listAdministrators, () => ({ administrators: [{ ...dora, role: 'support' as const }], invitations: [] }))
    throw refusal(409, 'value_changed', 'Another administrator has changed this meanwhile.', { value: 'support' })
  })
  await person.click(screen.getByRole('button', { name: 'Change role of dora' }))
  await typeCode()
  await person.selectOptions(screen.getByLabelText('Role'), 'viewer')
  await person.click(screen.getByRole('button', { name: 'Change role' }))
  expect(await screen.findByText('Changed by another administrator')).toBeVisible()
  await person.clear(screen.getByLabelText('Current 6-digit code'))
  await typeCode()
  await person.click(screen.getByRole('button', { name: 'Change role' }))
  expect(await screen.findByText('Role Changed')).toBeVisible()
  expect(named).toEqual(['finance', 'support'])
})

test.each([
  ['Invite an administrator', 'finance', false],
  ['Invite an administrator', 'owner', true],
  ['Change role of dora', 'owner', true],
  ['Remove dora', 'owner', true],
] as const)(
  'before "%s", with dora as %s: it says that another administrator has to approve: %s',
  async (button, role, isSaid) => {
    const { person } = await open({ role })
    await person.click(screen.getByRole('button', { name: button }))
    const dialog = await screen.findByRole('dialog')
    const said = /You only propose this\. It takes effect when another administrator approves it within 24 hours\.$/
    if (isSaid) await waitFor(() => expect(dialog).toHaveAccessibleDescription(said))
    else expect(dialog).not.toHaveAccessibleDescription(said)
  },
)

test('a refusal is shown and keeps the dialog with what was chosen', async () => {
  const { person, typeCode } = await open({ isRefused: true })
  await person.click(screen.getByRole('button', { name: 'Remove dora' }))
  await typeCode()
  await person.type(screen.getByLabelText('Reason'), 'Has left')
  await person.click(screen.getByRole('button', { name: 'Remove administrator' }))
  expect(await screen.findByText(/^Somebody must stay an owner/)).toBeVisible()
  expect(screen.getByLabelText('Current 6-digit code')).toHaveValue('123456')
})

test('an open invitation is withdrawn', async () => {
  const { person, sent } = await open()
  const list = within(screen.getByRole('list', { name: 'Open invitations' }))
  expect(list.getByText(/^Support, until/)).toBeVisible()
  await person.click(list.getByRole('button', { name: 'Withdraw invitation of emil@example.com' }))
  expect(await screen.findByText('Invitation Withdrawn')).toBeVisible()
  expect(sent).toEqual([['revoke', { id: invitation.id }, undefined]])
})

test.each<[AdminRole, boolean, boolean]>([
  ['viewer', false, false],
  ['support', false, true],
  ['finance', false, false],
  ['owner', true, true],
])('a %s may change settings: %s, and message everybody: %s', async (role, mayChange, mayTell) => {
  answerCommonCalls(api)
  answerBackOffice(api, { role })
  renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' })
  const sales = await screen.findByLabelText('Sales enabled')
  const title = await screen.findByLabelText('Title in English')
  await waitFor(() => expect(sales.matches(':disabled')).toBe(!mayChange))
  expect(title.matches(':disabled')).toBe(!mayTell)
  expect(screen.getByLabelText('New username').matches(':disabled')).toBe(false)
  expect(screen.queryByText('Only owners change the settings') !== null).toBe(!mayChange)
  expect(screen.queryByRole('heading', { name: 'Administrators' }) !== null).toBe(mayChange)
})
