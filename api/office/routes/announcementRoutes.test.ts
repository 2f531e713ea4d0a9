import { expect, test } from 'vitest'
import * as contract from '#shared/contract/admin/announcements.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { tellAnnouncements } from '#api/accounts/inbox/tellAnnouncements.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'

const database = useDatabase()

const body = {
  title: { en: 'Maintenance', ko: '점검 안내' },
  text: { en: 'On Sunday.\nNothing is lost.', ko: '일요일에 점검합니다.' },
}

async function setUp() {
  const server = await startServer(database)
  const { browser, username } = await openAdministrator(server)
  return {
    server,
    browser,
    username,
    list: () => browser.call(contract.listAnnouncements, {}, { headers: { 'accept-language': 'ko' } }),
    /** Skips the client's validation. */
    post: (sent: object) =>
      browser.fetch(server.url + contract.sendAnnouncement.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      }),
  }
}

test('a message is sent once with the same key, is recorded with its texts, and shows its progress', async () => {
  const { server, browser, username, list } = await setUp()
  for (let count = 0; count < 2; count += 1) await makeBuyer(server)
  const send = () => browser.call(contract.sendAnnouncement, { body }, { idempotencyKey: 'same' })
  expect(await send()).toEqual({ message: 'The message is being sent to all users.' })
  await send()
  const row = {
    id: expect.any(String),
    title: '점검 안내',
    createdAt: expect.any(Date),
    createdBy: `admin:${username}`,
    told: 0,
    total: 2,
    isFinished: false,
  }
  expect(await list()).toEqual({ accounts: 2, announcements: [row] })
  await tellAnnouncements.run(server.services)
  expect((await list()).announcements).toEqual([{ ...row, told: 2, isFinished: true }])
  const entries = await database.orm.em.fork().find(AuditEntry, { action: 'announcement.send' })
  expect(entries).toMatchObject([{ actor: `admin:${username}`, target: expect.any(String), after: body }])
})

test('addresses, invisible characters, missing and long texts are refused, each in each field', async () => {
  const { post, list } = await setUp()
  const before = (await list()).announcements.length
  for (const part of ['title', 'text'] as const)
    for (const language of ['en', 'ko'] as const) {
      for (const words of ['See evil.example', 'Write to a@b', 'Hello\u200b', '  ', 'x '.repeat(600)]) {
        const answer = await post({ ...body, [part]: { ...body[part], [language]: words } })
        expect([answer.status, words]).toEqual([400, words])
      }
      const { [language]: _, ...rest } = body[part]
      expect((await post({ ...body, [part]: rest })).status).toBe(400)
    }
  expect(await (await post({ ...body, text: { ...body.text, ko: '지금 evil.com 으로' } })).json()).toMatchObject({
    code: 'invalid_request',
    message: 'Links, domains, email and wallet addresses are not allowed. Write a space after each full stop.',
  })
  expect((await list()).announcements).toHaveLength(before)
})

test('an administrator sends five messages an hour at most', async () => {
  const { post } = await setUp()
  const statuses = []
  for (let count = 0; count < 6; count += 1) statuses.push((await post(body)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})
