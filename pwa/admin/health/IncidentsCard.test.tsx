import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import {
  listIncidents,
  type ReportedIncident,
  resolveIncident,
  startIncident,
  updateIncident,
} from '#shared/contract/admin/incidents.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { adminStatusQuery } from '../queries.ts'
import { hideDrafts, ownDrafts } from '../useDraft.ts'
import { IncidentsCard } from './IncidentsCard.tsx'

const api = useFakeApi()

const incident: ReportedIncident = {
  id: '018f0000-0000-7000-8000-000000000001',
  title: { en: 'Payouts are slow', ko: '지급이 느립니다' },
  text: { en: 'The chain is busy.', ko: null },
  startedAt: new Date('2026-11-23T10:00:00Z'),
  updatedAt: new Date('2026-11-23T10:00:00Z'),
  resolvedAt: null,
  createdBy: 'admin:keeper',
}
const message = 'The incident is on the status page.'

async function open(list: ReportedIncident[] = []) {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(listIncidents, () => ({ incidents: list }))
  const { person, queryClient } = renderPage(<IncidentsCard />)
  await queryClient.fetchQuery(adminStatusQuery)
  const press = async (name: string) => person.click(await screen.findByRole('button', { name }))
  return {
    press,
    person,
    queryClient,
    list,
    async fill(words: Record<string, string>) {
      for (const [label, text] of Object.entries(words)) {
        await person.clear(screen.getByLabelText(label))
        if (text) await person.type(screen.getByLabelText(label), text)
      }
    },
  }
}

test('an incident is reported in English alone, with an idempotency key', async () => {
  const { person, press, fill, list } = await open()
  const sent: { body: unknown; key: string | null }[] = []
  const isSaved = Promise.withResolvers<void>()
  api.answer(startIncident, async ({ body }, request) => {
    sent.push({ body, key: request.headers.get('idempotency-key') })
    await isSaved.promise
    list.unshift(incident)
    return { message }
  })
  expect(await screen.findByText('There was none within 90 days.')).toBeVisible()
  expect(screen.getByRole('link', { name: 'status page' })).toHaveAttribute('href', '/status')
  await press('Report an incident')
  await fill({ 'Title in English': ' Payouts are slow ', 'Text in English': 'The chain is busy.' })
  await press('Report')
  expect(await screen.findByRole('button', { name: 'Saving...' })).toBeDisabled()
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog')).toBeVisible()
  isSaved.resolve()
  expect(await screen.findByText('Incident Reported')).toBeVisible()
  expect(sent).toEqual([
    {
      body: { title: { en: 'Payouts are slow', ko: null }, text: { en: 'The chain is busy.', ko: null } },
      key: expect.any(String),
    },
  ])
  const row = within(await screen.findByRole('list', { name: 'Incidents on the status page' }))
  expect(row.getByText('Ongoing')).toBeVisible()
  expect(row.getByText(/reported by keeper/)).toBeVisible()
})

test('missing English words and addresses are refused at their field', async () => {
  const { press, fill } = await open()
  await press('Report an incident')
  await fill({ 'Text in English': 'See evil.example', 'Title in Korean (optional)': 'a@b' })
  await press('Report')
  expect(screen.getByLabelText('Title in English')).toHaveAccessibleDescription(/^Please fill in title and text in English/)
  expect(screen.getByLabelText('Text in English')).toHaveAccessibleDescription(/^Links, domains/)
  expect(screen.getByLabelText('Title in Korean (optional)')).toHaveAccessibleDescription(/^Links, domains/)
  expect(screen.getByLabelText('Text in Korean (optional)')).not.toHaveAccessibleDescription()
})

test('what was typed outlives the redirect to the login, but not the dialog', async () => {
  ownDrafts('keeper')
  const before = await open()
  await before.press('Report an incident')
  await before.fill({ 'Title in English': 'Payouts are slow' })
  cleanup()
  // A page load keeps the session storage.
  hideDrafts()
  ownDrafts('keeper')
  const { press } = await open()
  await press('Report an incident')
  expect(screen.getByLabelText('Title in English')).toHaveValue('Payouts are slow')
  await press('Cancel')
  await press('Report an incident')
  expect(screen.getByLabelText('Title in English')).toHaveValue('')
  expect(sessionStorage.getItem('admin_drafts')).not.toContain('Payouts')
})

test('its words are changed in a form that has the last ones', async () => {
  const { press, fill } = await open([incident])
  const sent: unknown[] = []
  api.answer(updateIncident, ({ params, body }) => {
    sent.push({ params, body })
    return { message: 'The status page shows the new text.' }
  })
  await press('Edit “Payouts are slow”')
  expect(screen.getByLabelText('Title in Korean (optional)')).toHaveValue('지급이 느립니다')
  await fill({ 'Text in English': 'All are paid.', 'Title in Korean (optional)': '' })
  await press('Save')
  expect(await screen.findByText('Incident Changed')).toBeVisible()
  const body = { title: { en: 'Payouts are slow', ko: null }, text: { en: 'All are paid.', ko: null } }
  expect(sent).toEqual([{ params: { id: incident.id }, body: { ...body, replaces: incident.updatedAt } }])
})

test('what was typed into it outlives the login, and replaces only the words that were edited', async () => {
  const listed = [incident]
  const before = await open(listed)
  ownDrafts('keeper')
  await before.press('Edit “Payouts are slow”')
  await before.fill({ 'Text in English': 'Three hours late.' })
  before.queryClient.setQueryData(adminStatusQuery.queryKey, { isLoggedIn: false, loginTime: null, username: null, role: null })
  cleanup()
  hideDrafts()
  ownDrafts('keeper')

  const { press } = await open([
    { ...incident, text: { en: 'It is fixed.', ko: null }, updatedAt: new Date('2026-11-23T11:00:00Z') },
  ])
  const replaced: unknown[] = []
  api.answer(updateIncident, ({ body }) => {
    replaced.push(body.replaces)
    return { message }
  })
  await press('Edit “Payouts are slow”')
  expect(screen.getByLabelText('Text in English')).toHaveValue('Three hours late.')
  await press('Save')
  await waitFor(() => expect(replaced).toEqual([incident.updatedAt]))
  await press('Edit “Payouts are slow”')
  expect(screen.getByLabelText('Text in English')).toHaveValue('It is fixed.')
})

test('words that another administrator has changed meanwhile are shown, and what was typed stays', async () => {
  const { press, fill, list } = await open([incident])
  const changed = { ...incident, text: { en: 'The chain is stuck.', ko: null }, updatedAt: new Date('2026-11-23T10:05:00Z') }
  const shown: unknown[] = []
  api.answer(updateIncident, ({ body: { replaces } }) => {
    shown.push(replaces)
    list[0] = changed
    if (shown.length === 1) throw refusal(409, 'value_changed', 'Another administrator has changed this meanwhile.')
    return { message: 'The status page shows the new text.' }
  })
  await press('Edit “Payouts are slow”')
  await fill({ 'Text in English': 'All are paid.' })
  await press('Save')
  const notice = within(await screen.findByRole('note'))
  expect(notice.getByText('Another administrator has changed it. It is now:')).toBeVisible()
  expect(await notice.findByText(/The chain is stuck\./)).toBeVisible()
  expect(screen.getByLabelText('Text in English')).toHaveValue('All are paid.')
  await press('Save')
  expect(await screen.findByText('Incident Changed')).toBeVisible()
  expect(shown).toEqual([incident.updatedAt, changed.updatedAt])
})

test('an incident that is no longer listed can still be saved after another administrator has changed it', async () => {
  const { press, fill, list } = await open([incident])
  const changedAt = '2026-11-23T10:05:00.000Z'
  const shown: unknown[] = []
  api.answer(updateIncident, ({ body: { replaces } }) => {
    shown.push(replaces)
    list.length = 0
    if (shown.length === 1)
      throw refusal(409, 'value_changed', 'Another administrator has changed this meanwhile.', { value: changedAt })
    return { message: 'The status page shows the new text.' }
  })
  await press('Edit “Payouts are slow”')
  await fill({ 'Text in English': 'All are paid.' })
  await press('Save')
  expect(await screen.findByText(/no longer listed/)).toBeVisible()
  await press('Save')
  expect(await screen.findByText('Incident Changed')).toBeVisible()
  expect(shown).toEqual([incident.updatedAt, new Date(changedAt)])
})

test('an incident that another administrator resolved first is said to be decided', async () => {
  const { press, list } = await open([incident])
  api.answer(resolveIncident, () => {
    list[0] = { ...incident, resolvedAt: new Date('2026-11-23T11:00:00Z') }
    throw refusal(409, 'incident_resolved', 'The incident was already resolved.')
  })
  await press('Resolve “Payouts are slow”')
  expect(await screen.findByRole('dialog', { name: 'Resolve “Payouts are slow”?' })).toBeVisible()
  await press('Resolve')
  expect(await screen.findByText('Already decided')).toBeVisible()
  expect(await screen.findByText('Resolved')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Resolve “Payouts are slow”' })).not.toBeInTheDocument()
})
