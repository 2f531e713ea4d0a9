import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  countUnread,
  getMessageChoices,
  type InboxMessage,
  listInbox,
  markRead,
  updateMessageChoices,
} from '#shared/contract/inbox.ts'
import { ApiError } from '#shared/contract/client.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { answerCommonCalls, someConfig, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { InboxPage } from './InboxPage.tsx'

const api = useFakeApi()

const bonus = (number: number, isRead = true): InboxMessage => ({
  id: `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`,
  topic: 'nodes',
  title: `${number} bonus nodes are yours`,
  paragraphs: ['Thank you for your purchases.'],
  facts: [['Nodes', '7–9']],
  link: '/history',
  createdAt: new Date('2026-11-23T10:00:00Z'),
  isRead,
})

const all = { inbox: true, mail: true, push: true }
const none = { inbox: false, mail: false, push: false }

/** A user with this many messages, of whom the newest ones are unread. */
function setUp({ count = 2, unread = 0 } = {}) {
  const serverState = {
    messages: Array.from({ length: count }, (_, index) => bonus(count - index, index >= unread)),
    marked: [] as string[],
    choices: { nodes: all, payments: all, withdrawals: all, rewards: none, news: all, security: all },
  }
  answerCommonCalls(api, { user: someUser() })
  api.answer(getConfig, () => someConfig({ pushKey: 'B'.repeat(87) }))
  api.answer(listInbox, ({ query: { limit, offset } }) => ({
    messages: serverState.messages.slice(offset, offset + limit),
    total: serverState.messages.length,
  }))
  api.answer(countUnread, () => ({ unread }))
  api.answer(markRead, ({ body: { upTo } }) => {
    serverState.marked.push(upTo)
    return { unread: 0 }
  })
  api.answer(getMessageChoices, () => serverState.choices)
  api.answer(updateMessageChoices, ({ body: { topic, ...change } }) => {
    serverState.choices = { ...serverState.choices, [topic]: { ...serverState.choices[topic], ...change } }
    return serverState.choices
  })
  return { serverState, ...renderPage(<InboxPage />) }
}

const titles = () => screen.getAllByText(/bonus nodes are yours/).map((title) => title.textContent)

test('new messages are marked, are read once shown, and open with their facts and their page', async () => {
  const { person, serverState } = setUp({ count: 2, unread: 1 })
  await screen.findByText('2 bonus nodes are yours')
  expect(screen.getAllByText('New')).toHaveLength(1)
  await waitFor(() => expect(serverState.marked).toEqual([bonus(2).id]))
  expect(screen.getByText('New')).toBeVisible()

  await person.click(screen.getByText('2 bonus nodes are yours'))
  const entry = within(screen.getByText('2 bonus nodes are yours').closest('li')!)
  expect(entry.getByText('Thank you for your purchases.')).toBeVisible()
  expect(entry.getByText('7–9')).toBeVisible()
  expect(entry.getByRole('link', { name: 'See your history' })).toHaveAttribute('href', '/history')
})

test('a message that was stored late, below one that is read, is read once shown', async () => {
  const { serverState } = setUp({ count: 0 })
  serverState.messages = [bonus(3), bonus(2, false), bonus(1)]
  await waitFor(() => expect(serverState.marked).toEqual([bonus(3).id]))
})

test('messages that arrive in a hidden tab are read once it is shown', async () => {
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  onTestFinished(() => visibility.mockRestore())
  const { serverState } = setUp({ unread: 1 })
  await screen.findByText('2 bonus nodes are yours')
  expect(serverState.marked).toEqual([])

  visibility.mockReturnValue('visible')
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  await waitFor(() => expect(serverState.marked).toEqual([bonus(2).id]))
})

test('read messages are not marked again, and older ones follow on request', async () => {
  const { person, serverState } = setUp({ count: 61 })
  await screen.findByText('61 bonus nodes are yours')
  expect(titles()).toHaveLength(30)
  await person.click(screen.getByRole('button', { name: 'Show older messages' }))
  await waitFor(() => expect(titles()).toHaveLength(60))
  await person.click(screen.getByRole('button', { name: 'Show older messages' }))
  await waitFor(() => expect(titles()).toHaveLength(61))
  expect(titles().at(-1)).toBe('1 bonus nodes are yours')
  expect(screen.queryByRole('button', { name: 'Show older messages' })).toBeNull()
  expect(serverState.marked).toEqual([])
})

test('an empty inbox says what will be in it', async () => {
  setUp({ count: 0 })
  expect(await screen.findByText(/There are no messages yet/)).toBeVisible()
})

test('messages that cannot be loaded can be retried', async () => {
  const { person, serverState } = setUp()
  api.answer(listInbox, () => {
    throw refusal(500, 'internal', 'Something went wrong.')
  })
  const retry = await screen.findByRole('button', { name: 'Try again' })
  api.answer(listInbox, () => ({ messages: serverState.messages, total: 2 }))
  await person.click(retry)
  expect(await screen.findByText('2 bonus nodes are yours')).toBeVisible()
})

test('each topic can be switched off by channel, but security cannot', async () => {
  const { person, serverState } = setUp()
  const mail = await screen.findByRole('switch', { name: 'Email: Payouts and refunds of withdrawals' })
  expect(mail).toBeChecked()
  await person.click(mail)
  await waitFor(() => expect(mail).not.toBeChecked())
  expect(serverState.choices.withdrawals).toEqual({ ...all, mail: false })
  await person.click(screen.getByRole('switch', { name: "Inbox: A summary of each day's reward" }))
  await waitFor(() => expect(serverState.choices.rewards).toEqual({ ...none, inbox: true }))
  expect(screen.getAllByRole('switch')).toHaveLength(15)
  await person.click(screen.getByRole('switch', { name: 'Device: Payments and refunds' }))
  await waitFor(() => expect(serverState.choices.payments).toEqual({ ...all, push: false }))
  expect(screen.getByText('Always, on every channel')).toBeVisible()
})

test('a choice whose answer was lost is not called unchanged, and is read again', async () => {
  const { person, serverState } = setUp()
  api.answer(updateMessageChoices, () => {
    serverState.choices = { ...serverState.choices, payments: { ...all, mail: false } }
    // Without a code it is a proxy's answer.
    throw new ApiError(502, '{}')
  })
  const mail = await screen.findByRole('switch', { name: 'Email: Payments and refunds' })
  await person.click(mail)
  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('It may have been done.')
  expect(screen.queryByText('Not Changed')).toBeNull()
  await waitFor(() => expect(mail).not.toBeChecked())
})

test('a choice that the server refuses is called unchanged', async () => {
  const { person } = setUp()
  api.answer(updateMessageChoices, () => {
    throw refusal(500, 'internal', 'Something went wrong.')
  })
  const mail = await screen.findByRole('switch', { name: 'Email: Payments and refunds' })
  await person.click(mail)
  expect(await screen.findByText('Not Changed')).toBeVisible()
  expect(mail).toBeChecked()
})

test('the inbox needs an account', async () => {
  answerCommonCalls(api, { user: null })
  renderPage(<InboxPage />)
  expect(await screen.findByText('Log in to read your messages.')).toBeVisible()
})
