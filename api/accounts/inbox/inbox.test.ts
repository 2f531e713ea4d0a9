import { expect, test } from 'vitest'
import type { Input } from '#shared/contract/endpoint.ts'
import * as contract from '#shared/contract/inbox.ts'
import { getNotifications, updateNotifications } from '#shared/contract/notifications.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { useDatabase } from '#api/testing/database.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Buyer, makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestServer } from '#api/testing/server.ts'
import { notifyOwner, type OwnerMessage } from './notifyOwners.ts'

const database = useDatabase()

/** Tells a buyer that a bonus was granted. */
const tell = (
  { services }: TestServer,
  { user }: Buyer,
  { topic = 'nodes', ...message }: Partial<OwnerMessage> & { topic?: contract.InboxTopic } = {},
) =>
  services.orm.em.fork().transactional((em) =>
    notifyOwner(em, services, {
      topic,
      to: user,
      link: '/history',
      subject: sentence('{count} bonus nodes are yours', { count: 1_200 }),
      paragraphs: [
        sentence('They earn from {time}. XCR is paid daily at 09:00 UTC.', { time: new Date('2026-11-05T09:30:00Z') }),
      ],
      facts: [
        ['Reason', 'Paid'],
        ['Time', new Date('2026-11-05T23:31:07.123Z')],
        ['Nodes', sentence('1 node')],
      ],
      ...message,
    }),
  )
const list = async ({ browser }: Buyer, query = { limit: 30, offset: 0 }) => browser.call(contract.listInbox, { query })
const titles = async (buyer: Buyer) => (await list(buyer)).messages.map(({ title }) => title)
const unread = async ({ browser }: Buyer) => (await browser.call(contract.countUnread, {})).unread
const mailCount = async ({ user }: Buyer) => (await mailsTo(database, user.email)).length

test('a message is in the inbox and in a mail, in the language of each, and nobody else sees it', async () => {
  const server = await startServer(database)
  const [buyer, other] = [await makeBuyer(server), await makeBuyer(server)]
  await tell(server, buyer)
  expect(await list(buyer)).toMatchObject({
    total: 1,
    messages: [
      {
        id: expect.any(String),
        topic: 'nodes',
        title: '1,200 bonus nodes are yours',
        paragraphs: ['They earn from 05 Nov 2026, 09:30 UTC. XCR is paid daily at 09:00 UTC.'],
        facts: [
          ['Reason', 'Paid'],
          ['Time', '05 Nov 2026, 23:31 UTC'],
          ['Nodes', '1 node'],
        ],
        link: '/history',
        createdAt: expect.any(Date),
        isRead: false,
      },
    ],
  })
  const korean = await buyer.browser.call(
    contract.listInbox,
    { query: { limit: 30, offset: 0 } },
    { headers: { 'accept-language': 'ko' } },
  )
  expect(korean.messages).toMatchObject([
    {
      title: '보너스 노드 1,200개가 지급되었습니다',
      facts: [
        ['사유', 'Paid'],
        ['시각', '2026년 11월 5일 23:31 UTC'],
        ['노드', '노드 1개'],
      ],
    },
  ])
  expect(await mailsTo(database, buyer.user.email)).toMatchObject([{ subject: '1,200 bonus nodes are yours' }])
  expect(await list(other)).toMatchObject({ total: 0, totalCount: 0, messages: [] })
  expect(await unread(other)).toBe(0)
})

test('an account is told of a cause once, also at the same time, and not if its transaction fails', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  await Promise.all([tell(server, buyer, { cause: 'bonus:1' }), tell(server, buyer, { cause: 'bonus:1' })])
  await tell(server, buyer, { cause: 'bonus:1' })
  expect(await titles(buyer)).toHaveLength(1)
  expect(await mailCount(buyer)).toBe(1)

  const failed = server.services.orm.em.fork().transactional(async (em) => {
    await notifyOwner(em, server.services, {
      topic: 'nodes',
      to: buyer.user,
      cause: 'bonus:2',
      link: null,
      subject: '1 bonus node is yours',
      paragraphs: [],
    })
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  expect(await titles(buyer)).toHaveLength(1)
  expect(await mailCount(buyer)).toBe(1)
})

test('a message and the older ones are marked as read; newer ones and those of others stay unread', async () => {
  const server = await startServer(database)
  const [buyer, other] = [await makeBuyer(server), await makeBuyer(server)]
  for (const cause of ['1', '2', '3']) await tell(server, buyer, { cause })
  await tell(server, other)
  const { messages } = await list(buyer)
  const markRead = (upTo: string, by = buyer) => by.browser.call(contract.markRead, { body: { upTo } })

  expect(await markRead(messages[0]!.id, other)).toEqual({ unread: 1 })
  expect(await unread(buyer)).toBe(3)
  expect(await markRead(messages[1]!.id)).toEqual({ unread: 1 })
  expect((await list(buyer)).messages.map(({ isRead }) => isRead)).toEqual([false, true, true])
  expect(await markRead(messages[0]!.id)).toEqual({ unread: 0 })
})

test('messages are paged, newest first, and a page beyond the end is empty', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  for (const count of [1, 2, 3]) await tell(server, buyer, { subject: sentence('{count} bonus nodes are yours', { count }) })
  const all = await titles(buyer)
  expect(all.map((title) => title[0])).toEqual(['3', '2', '1'])
  const page = async (limit: number, offset: number) => {
    const { messages, total } = await list(buyer, { limit, offset })
    return { titles: messages.map(({ title }) => title), total }
  }
  expect(await page(2, 0)).toEqual({ titles: all.slice(0, 2), total: 3 })
  expect(await page(2, 2)).toEqual({ titles: all.slice(2), total: 3 })
  expect(await page(2, 4)).toEqual({ titles: [], total: 3 })
})

test('each topic is sent where its owner wants it, and security everywhere', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const all = { inbox: true, mail: true, push: true }
  const defaults = {
    nodes: all,
    payments: all,
    withdrawals: all,
    rewards: { inbox: false, mail: false, push: false },
    news: { inbox: true, mail: false, push: true },
    security: all,
  }
  expect(await buyer.browser.call(contract.getMessageChoices, {})).toEqual(defaults)
  const choose = (body: Input<typeof contract.updateMessageChoices>['body']) =>
    buyer.browser.call(contract.updateMessageChoices, { body })
  const send = (body: object) =>
    buyer.browser.fetch(server.url + contract.updateMessageChoices.path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  expect(await choose({ topic: 'nodes', mail: false })).toEqual({ ...defaults, nodes: { ...all, mail: false } })
  await tell(server, buyer)
  expect([(await titles(buyer)).length, await mailCount(buyer)]).toEqual([1, 0])
  expect(await choose({ topic: 'nodes', inbox: false })).toMatchObject({ nodes: { inbox: false, mail: false } })
  expect(await choose({ topic: 'nodes', mail: true })).toMatchObject({ nodes: { inbox: false, mail: true } })
  await tell(server, buyer)
  expect([(await titles(buyer)).length, await mailCount(buyer), await unread(buyer)]).toEqual([1, 1, 1])

  await tell(server, buyer, { topic: 'security' })
  expect([(await titles(buyer)).length, await mailCount(buyer)]).toEqual([2, 2])
  for (const body of [
    { topic: 'security', mail: false },
    { topic: 'security', push: false },
    { topic: 'nodes' },
    { topic: 'weather', mail: true },
    {},
  ])
    expect((await send(body)).status).toBe(400)
  expect(await buyer.browser.call(contract.getMessageChoices, {})).toMatchObject({ security: all })
})

test('the daily summary is one choice under both of its calls', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  await browser.call(updateNotifications, { body: { rewardDigest: true } })
  expect(await browser.call(contract.getMessageChoices, {})).toMatchObject({ rewards: { inbox: false, mail: true } })
  await browser.call(contract.updateMessageChoices, { body: { topic: 'rewards', mail: false, inbox: true } })
  expect(await browser.call(contract.getMessageChoices, {})).toMatchObject({ rewards: { inbox: true, mail: false } })
  expect(await browser.call(getNotifications, {})).toMatchObject({ rewardDigest: false })
})

test('the inbox needs an account', async () => {
  const { openBrowser } = await startServer(database)
  const refused = { status: 401, code: 'unauthenticated' }
  await expect(openBrowser().call(contract.countUnread, {})).rejects.toMatchObject(refused)
  const upTo = '018f0000-0000-7000-8000-000000000000'
  await expect(openBrowser().call(contract.markRead, { body: { upTo } })).rejects.toMatchObject(refused)
})
