import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type Announcement, listAnnouncements, sendAnnouncement } from '#shared/contract/admin/announcements.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AnnouncementsCard } from './AnnouncementsCard.tsx'

const api = useFakeApi()

const notice: Announcement = {
  id: '018f0000-0000-7000-8000-000000000001',
  title: 'Maintenance',
  createdAt: new Date('2026-11-23T10:00:00Z'),
  createdBy: 'admin:keeper',
  told: 500,
  total: 1_200,
  isFinished: false,
}
const words = {
  'Title in English': 'Maintenance',
  'Text in English': 'On Sunday.',
  'Title in Korean': '점검 안내',
  'Text in Korean': '일요일입니다.',
}

async function open(announcements: Announcement[] = []) {
  answerCommonCalls(api)
  answerBackOffice(api)
  const list = [...announcements]
  const sent: { body: unknown; key: string | null }[] = []
  api.answer(listAnnouncements, () => ({ accounts: 1_200, announcements: list }))
  api.answer(sendAnnouncement, ({ body }, request) => {
    sent.push({ body, key: request.headers.get('idempotency-key') })
    list.unshift(notice)
    return { message: 'The message is being sent to all users.' }
  })
  const { person } = renderPage(<AnnouncementsCard />)
  await screen.findByLabelText('Title in English')
  const fill = async (changes: Partial<typeof words> = {}) => {
    for (const [label, text] of Object.entries({ ...words, ...changes })) {
      await person.clear(screen.getByLabelText(label))
      if (text) await person.type(screen.getByLabelText(label), text)
    }
    await person.click(screen.getByRole('button', { name: 'Send to all users' }))
  }
  const confirm = async () => {
    const dialog = await screen.findByRole('dialog', { name: 'Send the message to 1,200 accounts?' })
    expect(dialog, 'names the message').toHaveAccessibleDescription(/^Maintenance 점검 안내/)
    const question = within(dialog)
    expect(question.getByText(/can't be undone/)).toBeVisible()
    await person.click(question.getByRole('button', { name: 'Send to all users' }))
  }
  return { person, sent, fill, confirm }
}

test('a message is sent to the named number of accounts after a confirmation, and its progress is shown', async () => {
  const { sent, fill, confirm } = await open()
  expect(screen.getByText(/under “Message from XCR Nodes”/)).toBeVisible()
  expect(screen.getByText('No message has been sent.')).toBeVisible()
  await fill()
  expect(sent).toEqual([])
  await confirm()
  expect(await screen.findByText('Message Sent')).toBeVisible()
  expect(sent).toMatchObject([
    { body: { title: { en: 'Maintenance', ko: '점검 안내' }, text: { en: 'On Sunday.', ko: '일요일입니다.' } } },
  ])
  expect(screen.getByLabelText('Text in Korean')).toHaveValue('')
  const entry = within(await screen.findByRole('list', { name: 'Last messages' }))
  expect(entry.getByText('500 of 1,200 told')).toBeVisible()
  expect(entry.getByText(/sent by keeper/)).toBeVisible()
  expect(entry.getByRole('progressbar', { name: 'Maintenance' })).toHaveAttribute('aria-valuetext', '500 of 1,200 told')
})

test('addresses and empty fields are refused at their field', async () => {
  const { sent, fill } = await open()
  await fill({ 'Text in English': 'See evil.example', 'Title in Korean': '' })
  expect(screen.getByLabelText('Text in English')).toHaveAccessibleDescription(/^Links, domains, email and wallet addresses/)
  expect(screen.getByLabelText('Title in Korean')).toHaveAccessibleDescription('Please fill in title and text in both languages.')
  expect(screen.getByLabelText('Text in Korean')).not.toHaveAccessibleDescription()
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  expect(sent).toEqual([])
})

test('a failed message keeps its texts, and a retry has the same idempotency key', async () => {
  const { sent, fill, confirm, person } = await open()
  const keys: (string | null)[] = []
  api.answer(sendAnnouncement, (_, request) => {
    keys.push(request.headers.get('idempotency-key'))
    throw refusal(500, 'internal', 'Something broke.')
  })
  await fill()
  for (const calls of [1, 2]) {
    if (calls === 2) await person.click(screen.getByRole('button', { name: 'Send to all users' }))
    await confirm()
    await waitFor(() => expect(keys).toHaveLength(calls))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  }
  expect(keys[0]).toBe(keys[1])
  expect(screen.getByLabelText('Text in English')).toHaveValue('On Sunday.')
  expect(sent).toEqual([])
})

test('a message that is being written stays while another tab is looked at', async () => {
  const { person } = await open()
  await person.type(screen.getByLabelText('Text in English'), 'On Sunday.')
  cleanup()
  await open()
  expect(screen.getByLabelText('Text in English')).toHaveValue('On Sunday.')
})

test('a finished announcement of the system shows no bar', async () => {
  await open([{ ...notice, title: 'Node sales are open', createdBy: null, told: 1_200, isFinished: true }])
  const entry = within(screen.getByRole('list', { name: 'Last messages' }))
  expect(entry.getByText('1,200 of 1,200 told')).toBeVisible()
  expect(entry.getByText(/, automatic/)).toBeVisible()
  expect(entry.queryByRole('progressbar')).not.toBeInTheDocument()
})
