import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type AuditRow, listAudit } from '#shared/contract/admin/audit.ts'
import { answerBackOffice, someAuditRow } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()

interface Log {
  at?: string
  entries?: AuditRow[]
  totalCount?: number
  isCut?: boolean
}

/** Fakes the log and returns the requests for it. */
function keepLog({ entries = [someAuditRow()], totalCount = entries.length, isCut = false }: Log = {}) {
  const asked: object[] = []
  api.answer(listAudit, ({ query }) => {
    asked.push(query)
    const { limit, offset } = query
    return {
      entries,
      totalCount,
      currentPage: offset / limit + 1,
      totalPages: Math.max(1, Math.ceil(totalCount / limit)),
      hasNextPage: offset + limit < totalCount,
      hasPrevPage: offset > 0,
      isCut,
      actions: ['admin.login', 'settings.change'],
    }
  })
  return asked
}

function open({ at = '', ...log }: Log = {}) {
  answerCommonCalls(api)
  answerBackOffice(api)
  const asked = keepLog(log)
  return { ...renderPage(<AdminArea />, { at: `/admin-panel?tab=audit${at}` }), asked }
}

const cells = async () =>
  within((await screen.findAllByRole('row'))[1]!)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent)
const exportLink = () => screen.getByRole('link', { name: 'Excel download' })

test('a target leads to its part of the page of the account that it belongs to, and one of no account nowhere', async () => {
  const userId = '01936b2a-7c00-7000-8000-000000000001'
  open({
    entries: [
      ['mina@example.com', userId],
      ['user:mina@example.com', userId],
      ['purchase:1', userId],
      ['deposit:1', userId],
      ['withdrawal:1', userId],
      ['deposit:2', undefined],
      ['node_price_usdt', undefined],
    ].map(([target, userId], index) =>
      someAuditRow({ id: `01936b2a-7c00-7000-8000-00000000090${index}`, target: target!, userId }),
    ),
  })
  const rows = (await screen.findAllByRole('row')).slice(1)
  expect(rows.map((row) => within(row).queryByRole('link')?.getAttribute('href') ?? null)).toEqual([
    `/admin-panel/users/${userId}`,
    `/admin-panel/users/${userId}`,
    `/admin-panel/users/${userId}?part=purchases`,
    `/admin-panel/users/${userId}?part=purchases`,
    `/admin-panel/users/${userId}?part=xcr`,
    null,
    null,
  ])
})

test('an entry shows time, actor, IP address, action, target and changes', async () => {
  open()
  expect(await cells()).toEqual([
    '20 Nov 2026 07:31:04',
    'keeperadministrator',
    '10.0.0.7',
    'Setting changedsettings.change',
    'Node pricenode_price_usdt',
    'Value 3 → 3.5',
  ])
})

test('what changed is named as the panel names it, at every level, and a value without a name keeps its own', async () => {
  const entry = someAuditRow({
    before: { recoveryCodesLeft: 8, assignedTo: { status: 'a' } },
    after: { recoveryCodesLeft: 7, assignedTo: { status: 'b' }, arguments: { body: { newer: 2 } } },
  })
  open({ entries: [entry] })
  expect((await cells()).at(-1)).toBe('Recovery codes left 8 → 7Assigned to › Status a → bnewer 2')
})

test('what the panel has words for is named by them: settings, actions, roles, states and reasons', async () => {
  const after = { action: 'settings.change', role: 'finance', state: 'review' }
  open({ entries: [someAuditRow({ action: 'proposal.approve', target: 'bonus.grant_due', before: null, after })] })
  expect((await cells()).slice(-2)).toEqual([
    'All due bonus grantedbonus.grant_due',
    'Action Setting changedRole FinanceState In review',
  ])
})

test('an unknown value is a dash', async () => {
  open({ entries: [someAuditRow({ actor: 'system', ip: null, target: null, before: null, after: null })] })
  expect((await cells()).slice(1)).toEqual(['system', '–', 'Setting changedsettings.change', '–', '–'])
})

test('many differences are collapsed', async () => {
  const after = { a: 1, b: 2, c: 3, d: 4, e: 5 }
  const { person } = open({ entries: [someAuditRow({ before: null, after })] })
  expect((await cells()).at(-1)).toBe('a 1b 2c 3+2 more')
  await person.click(screen.getByRole('button', { name: '+2 more' }))
  expect((await cells()).at(-1)).toBe('a 1b 2c 3d 4e 5Show less')
})

test('the log is filtered by action and actor, in the address and in the export', async () => {
  const { person, asked, location } = open()
  await screen.findByRole('table')
  expect(
    within(screen.getByLabelText('Action'))
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['All actions', 'Administrator logged in (admin.login)', 'Setting changed (settings.change)'])
  await person.selectOptions(screen.getByLabelText('Action'), 'admin.login')
  await waitFor(() => expect(location()).toBe('/admin-panel?tab=audit&action=admin.login'))

  await person.click(screen.getByLabelText('Who'))
  expect(screen.getByRole('button', { name: 'Search' })).toBeDisabled()
  await person.keyboard(' keeper {Enter}')
  await waitFor(() => expect(location()).toBe('/admin-panel?tab=audit&action=admin.login&actor=keeper'))

  expect(asked.at(-1)).toEqual({ limit: 50, offset: 0, action: 'admin.login', actor: 'keeper' })
  expect(exportLink()).toHaveAttribute('href', '/api/admin/audit/export?action=admin.login&actor=keeper')
  expect(exportLink()).toHaveAttribute('target', '_blank')

  await person.click(screen.getByRole('button', { name: 'Clear' }))
  await waitFor(() => expect(location()).toBe('/admin-panel?tab=audit'))
  expect(screen.getByLabelText('Who')).toHaveValue('')
  expect(exportLink()).toHaveAttribute('href', '/api/admin/audit/export')
})

test('paging works, and another filter starts at page 1', async () => {
  const { person, asked, location } = open({ totalCount: 120 })
  expect(await screen.findByText('Total 120 entries · Page 1 of 3')).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(asked.at(-1)).toEqual({ limit: 50, offset: 50 }))
  expect(location()).toBe('/admin-panel?tab=audit&page=2')
  expect(await screen.findByText('Total 120 entries · Page 2 of 3')).toBeVisible()

  await person.selectOptions(screen.getByLabelText('Action'), 'settings.change')
  await waitFor(() => expect(asked.at(-1)).toEqual({ limit: 50, offset: 0, action: 'settings.change' }))
})

test('an address opens its filter, even for an action that does not occur', async () => {
  const { asked } = open({ at: '&action=vesting.reset&actor=x&page=3', entries: [] })
  expect(await screen.findByText('No entry matches this filter.')).toBeVisible()
  expect(asked).toEqual([{ limit: 50, offset: 100, action: 'vesting.reset', actor: 'x' }])
  expect(screen.getByLabelText('Action')).toHaveValue('vesting.reset')
})

test('an empty log says so', async () => {
  open({ entries: [] })
  expect(await screen.findByText('No activity yet.')).toBeVisible()
})

test('a log longer than its pages says how to reach the rest', async () => {
  open({ totalCount: 10_000, isCut: true })
  expect(
    await screen.findByText('These pages show the newest 10,000 entries. Use a filter or the export for older ones.'),
  ).toBeVisible()
})

test('a log that fails to load can be retried', async () => {
  const { person } = open()
  api.answer(listAudit, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  expect(await screen.findByText("Couldn't load the audit log")).toBeVisible()
  expect(screen.getByText(/^Something broke\./)).toBeVisible()
  keepLog()
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('table', { name: 'Audit log' })).toBeVisible()
})
