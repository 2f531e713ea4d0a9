import { expect, test } from 'vitest'
import { listInbox, updateMessageChoices } from '#shared/contract/inbox.ts'
import { sql } from '#api/platform/db/sql.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { createDatabase, type TestDatabase } from '#api/testing/database.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { type Buyer, makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { announce } from './announce.ts'
import { tellAnnouncements, tellNextBatch } from './tellAnnouncements.ts'

/** An installation of its own, because announcements reach all its accounts. */
async function setUp({ users = 0 } = {}) {
  const database = await createDatabase()
  onCleanup(() => database.release())
  const server = await startServer(database)
  const { services } = server
  const em = () => services.orm.em.fork()
  await addUsers(database, users)
  return {
    server,
    database,
    em,
    announce: (cause = 'notice:1') =>
      announce(em(), {
        cause,
        link: null,
        subject: sentence('Message from {brandName}', { brandName: 'XCR Nodes' }),
        paragraphs: [
          { en: 'Maintenance', ko: '점검 안내' },
          { en: 'On Sunday.\nNothing {count} is lost.', ko: '일요일입니다.' },
        ],
      }),
    tell: () => tellAnnouncements.run(services),
    tellBatch: () => em().transactional((transaction) => tellNextBatch(transaction, services)),
    /** The number of accounts that were told, and of messages, which are equal if nobody was told twice. */
    async countTold() {
      const [counts] = await sql<{ accounts: string; messages: string }>(
        em(),
        'select count(distinct user_id) as accounts, count(*) as messages from inbox_messages',
      )
      return [Number(counts!.accounts), Number(counts!.messages)]
    },
    unfinished: async () => (await sql(em(), 'select from announcements where finished_at is null')).length,
  }
}

const addUsers = (database: TestDatabase, count: number, createdAt = "now() - interval '1 hour'") =>
  sql(
    database.orm.em.fork(),
    `insert into users (id, email, password_hash, created_at)
     select gen_random_uuid(), gen_random_uuid() || '@example.com', '-', ${createdAt} from generate_series(1, $1)`,
    [count],
  )
const inboxOf = async ({ browser }: Buyer, language = 'en') =>
  (await browser.call(listInbox, { query: { limit: 30, offset: 0 } }, { headers: { 'accept-language': language } })).messages

test('everybody is told once, in the language of each, under a title of ours', async () => {
  const { server, announce, tell, countTold, unfinished } = await setUp()
  const buyers = [await makeBuyer(server), await makeBuyer(server)]
  await announce()
  await announce()
  await tell()
  await tell()
  expect(await countTold()).toEqual([2, 2])
  expect(await unfinished()).toBe(0)
  expect(await inboxOf(buyers[0]!)).toMatchObject([
    {
      topic: 'news',
      title: 'Message from XCR Nodes',
      paragraphs: ['Maintenance', 'On Sunday.\nNothing {count} is lost.'],
      facts: [],
      link: null,
    },
  ])
  expect(await inboxOf(buyers[1]!, 'ko')).toMatchObject([
    { title: 'XCR Nodes에서 보낸 메시지', paragraphs: ['점검 안내', '일요일입니다.'] },
  ])
})

test('news is sent where its owner wants it, by mail only if chosen', async () => {
  const { server, database, em, announce, tell } = await setUp()
  const [byDefault, byMail, nowhere] = [await makeBuyer(server), await makeBuyer(server), await makeBuyer(server)]
  const choose = ({ browser }: Buyer, mail: boolean) =>
    browser.call(updateMessageChoices, { body: { topic: 'news', inbox: false, mail, push: false } })
  await choose(byMail, true)
  await choose(nowhere, false)
  await sql(em(), `update users set language = 'ko' where id = $1`, [byMail.user.id])
  await announce()
  await tell()
  const found = async (buyer: Buyer) => [(await inboxOf(buyer)).length, (await mailsTo(database, buyer.user.email)).length]
  expect(await found(byDefault)).toEqual([1, 0])
  expect(await found(byMail)).toEqual([0, 1])
  expect(await found(nowhere)).toEqual([0, 0])
  const [mail] = await mailsTo(database, byMail.user.email)
  expect(mail!.subject).toBe('XCR Nodes에서 보낸 메시지')
  expect(mail!.text).toContain('점검 안내\n\n일요일입니다.')
})

test('a batch that dies tells nobody, and the next worker continues where the last one ended', async () => {
  const { em, server, announce, tell, tellBatch, countTold, unfinished } = await setUp({ users: 1_200 })
  await announce()
  await tellBatch()
  expect(await countTold()).toEqual([500, 500])
  const killed = em().transactional(async (transaction) => {
    await tellNextBatch(transaction, server.services)
    throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await countTold()).toEqual([500, 500])
  expect(await unfinished()).toBe(1)
  await tell()
  expect(await countTold()).toEqual([1_200, 1_200])
  expect(await unfinished()).toBe(0)
})

test('workers at the same time tell everybody once, and a locked announcement delays no other', async () => {
  const { em, server, announce, tell, tellBatch, countTold, unfinished } = await setUp({ users: 1_200 })
  await announce()
  await em().transactional(async (transaction) => {
    await tellNextBatch(transaction, server.services)
    expect(await tellBatch()).toBe(false)
    await announce('notice:2')
    expect(await tellBatch()).toBe(true)
  })
  await Promise.all([tell(), tell(), tell()])
  await tell()
  expect(await countTold()).toEqual([1_200, 2_400])
  expect(await unfinished()).toBe(0)
})

test('accounts that are created later are not told', async () => {
  const { database, announce, tell, countTold } = await setUp({ users: 3 })
  await announce()
  await addUsers(database, 2, `now() + interval '1 second'`)
  await tell()
  expect(await countTold()).toEqual([3, 3])
})
