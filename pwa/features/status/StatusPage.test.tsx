import { act, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { getStatus, type Incident, type ServiceStatus } from '#shared/contract/status.ts'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { Footer } from '#pwa/app/Footer.tsx'
import { startInLanguage } from '#pwa/i18n/language.ts'
import { useConnection } from '#pwa/lib/connection.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { StatusPage } from './StatusPage.tsx'

const api = useFakeApi()
afterEach(() => startInLanguage('en'))

const before = (milliseconds: number) => new Date(Date.now() - milliseconds)

const someIncident = (changes: Partial<Incident> = {}): Incident => ({
  id: '018f0000-0000-7000-8000-000000000001',
  title: { en: 'Payouts are slow', ko: '지급이 느립니다' },
  text: { en: 'The reward chain is busy.', ko: null },
  startedAt: new Date('2026-11-23T10:00:00Z'),
  updatedAt: new Date('2026-11-23T10:00:00Z'),
  resolvedAt: null,
  ...changes,
})

async function open(changes: Partial<ServiceStatus> = {}) {
  answerCommonCalls(api)
  api.answer(getStatus, () => ({
    verdict: 'ok',
    readAt: new Date('2026-11-24T07:31:20Z'),
    payments: { state: 'ok', block: 46_123_456, blockTime: before(3_000), blocksBehind: 0 },
    rewards: { state: 'ok', lastDay: '2026-11-23' },
    payouts: { state: 'ok', waiting: 0, oldest: null },
    register: { state: 'ok', lastDay: '2026-11-23', anchoredAt: new Date('2026-11-24T07:00:00Z') },
    incidents: [],
    ...changes,
  }))
  const { person } = renderPage(<StatusPage />)
  await screen.findByRole('heading', { name: 'How far each part is' })
  return person
}

const part = (name: string) => within(screen.getByRole('heading', { name }).closest('li')!)

test('when everything works, the page says so and how far each part is', async () => {
  await open()
  expect(screen.getByRole('heading', { name: 'Everything works' }).closest('[role=status]')).toHaveTextContent(/on time\.$/)
  expect(screen.getByText('24 Nov 2026, 07:31 UTC')).toBeVisible()
  expect(part('Payments').getByText('Read up to block 46,123,456')).toBeVisible()
  expect(part('Daily rewards').getByText('Paid up to 23 Nov 2026')).toBeVisible()
  expect(part('Payouts').getByText('None is waiting')).toBeVisible()
  expect(part('Public register').getByText(/^Published up to 23 Nov 2026/)).toHaveTextContent(
    'Anchored on the blockchain 24 Nov 2026, 07:00 UTC',
  )
  for (const name of ['Payments', 'Daily rewards', 'Payouts', 'Public register'])
    expect(part(name).getByText('On time')).toBeVisible()
  expect(screen.getByText('None in the last 90 days.')).toBeVisible()
})

test.each([
  ['payments_delayed', 'Payments are delayed', /^Payments already sent are safe/],
  ['rewards_delayed', 'Rewards are delayed', /^Nothing is lost/],
  ['payouts_delayed', 'Payouts are delayed', /^Nothing is lost/],
  ['register_delayed', 'The public register is delayed', /on time\.$/],
  ['several_delayed', 'Several parts are delayed', /^Nothing is lost/],
  ['outdated', 'The current state is unknown', /^Below is the last known state/],
  ['from_a_newer_server', 'Something is delayed', /^See below/],
])('the verdict %s reads "%s" and says what it means for money', async (verdict, title, meaning) => {
  await open({ verdict })
  const heading = screen.getByRole('heading', { name: title })
  expect(heading).toBeVisible()
  expect(heading.nextElementSibling).toHaveTextContent(meaning)
})

test('a delay shows how far behind payments are and how long payouts wait', async () => {
  await open({
    payments: { state: 'delayed', block: 900, blockTime: before(12 * MINUTE), blocksBehind: 960 },
    payouts: { state: 'delayed', waiting: 3, oldest: before(3 * HOUR) },
  })
  expect(part('Payments').getByText('Delayed')).toBeVisible()
  expect(part('Payments').getByText(/960 blocks behind/)).toHaveTextContent('That block is 12 minutes old')
  expect(part('Payouts').getByText(/3 are waiting/)).toHaveTextContent('The oldest for 3 hours')
})

test('before anything has happened, each part says so, and without a register there is none', async () => {
  await open({
    payments: { state: 'delayed', block: null, blockTime: null, blocksBehind: 0 },
    rewards: { state: 'ok', lastDay: null },
    register: null,
  })
  expect(part('Payments').getByText('No block has been read yet')).toBeVisible()
  expect(part('Daily rewards').getByText('No day has been paid yet')).toBeVisible()
  expect(screen.queryByRole('heading', { name: 'Public register' })).not.toBeInTheDocument()
})

test('an open incident comes first, a resolved one says when', async () => {
  const resolved = someIncident({ id: '018f0000-0000-7000-8000-000000000002', resolvedAt: new Date('2026-11-23T11:00:00Z') })
  await open({ verdict: 'incident', incidents: [someIncident({ updatedAt: new Date('2026-11-23T10:30:00Z') }), resolved] })
  expect(screen.getByRole('heading', { name: 'There is an incident' })).toBeVisible()
  const headings = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
  expect(headings).toEqual(['There is an incident', 'Incidents', 'How far each part is'])
  const [first, second] = screen.getAllByRole('heading', { name: 'Payouts are slow' }).map((each) => within(each.closest('li')!))
  expect(first!.getByText('Ongoing')).toBeVisible()
  expect(first!.getByText(/^Since/)).toHaveTextContent('Updated 23 Nov 2026, 10:30 UTC')
  expect(second!.getByText('Resolved')).toBeVisible()
  expect(second!.getByText(/^Since/)).toHaveTextContent('Resolved 23 Nov 2026, 11:00 UTC')
})

test('Korean readers see the English words where there are no Korean ones', async () => {
  await open({ incidents: [someIncident()] })
  await act(() => startInLanguage('ko'))
  expect(screen.getByText('지급이 느립니다')).toHaveAttribute('lang', 'ko')
  expect(screen.getByText('The reward chain is busy.')).toHaveAttribute('lang', 'en')
})

test('without a connection nobody knows the state, whatever the copy says', async () => {
  await open()
  act(() => useConnection.setState({ isOffline: true, takenAt: new Date('2026-11-24T07:31:20Z') }))
  expect(screen.getByRole('heading', { name: 'The current state is unknown' })).toBeVisible()
  expect(screen.getByText(/^As of/)).toBeVisible()
  expect(part('Payments').getByText('Was on time')).toBeVisible()
  act(() => useConnection.setState({ isOffline: false, takenAt: null }))
  expect(screen.getByRole('heading', { name: 'Everything works' })).toBeVisible()
})

test('a failed request can be retried', async () => {
  answerCommonCalls(api)
  api.answer(getStatus, () => {
    throw refusal(503, 'busy', 'Please try again.')
  })
  const { person } = renderPage(<StatusPage />)
  expect(await screen.findByText("Couldn't load the service status")).toBeVisible()
  api.answer(getStatus, () => ({
    verdict: 'ok',
    readAt: new Date(),
    payments: { state: 'ok', block: 1, blockTime: new Date(), blocksBehind: 0 },
    rewards: { state: 'ok', lastDay: null },
    payouts: { state: 'ok', waiting: 0, oldest: null },
    register: null,
    incidents: [],
  }))
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('heading', { name: 'Everything works' })).toBeVisible()
})

test('the footer links to the page', async () => {
  answerCommonCalls(api)
  renderPage(<Footer />)
  expect(await screen.findByRole('link', { name: 'Service status' })).toHaveAttribute('href', '/status')
})
