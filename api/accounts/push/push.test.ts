import { createECDH } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { logout } from '#shared/contract/identity.ts'
import { markRead, listInbox, updateMessageChoices } from '#shared/contract/inbox.ts'
import { changePassword } from '#shared/contract/password.ts'
import * as contract from '#shared/contract/push.ts'
import { endOtherSessions, listSessions } from '#shared/contract/sessions.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { tidyUp } from '#api/app/tidyUp.ts'
import { notifyOwner, type OwnerMessage } from '#api/accounts/inbox/notifyOwners.ts'
import { sql } from '#api/platform/db/sql.ts'
import { ko } from '#api/platform/mail/ko.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { createPushTransport } from '#api/platform/push/pushTransport.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { type Buyer, logIn, makeBuyer } from '#api/testing/people.ts'
import { PUSH_HOST, type PushService, startPushService, type TestSubscription } from '#api/testing/pushService.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { PUSH_ON, testConfig } from '#api/testing/testConfig.ts'
import { describePush } from './describePush.ts'
import { sendDuePushes, sendPush } from './sendPush.ts'

const database = useDatabase()
const em = () => database.orm.em.fork()

interface World {
  server: TestServer
  service: PushService
}

async function setUp(): Promise<World> {
  await sql(em(), 'delete from push_subscriptions')
  const env = { ...PUSH_ON, PUSH_HOSTS: PUSH_HOST, PUBLIC_URL: 'https://nodes.example.com' }
  const { push } = testConfig({ DATABASE_URL: database.url, ...env })
  const service = await startPushService(push!)
  const server = await startServer(database, { env, replace: { push: createPushTransport(push!, service.dialling) } })
  return { server, service }
}

const save = (browser: TestBrowser, body: TestSubscription & { showsDetails?: boolean }) =>
  browser.call(contract.savePushSubscription, { body })

async function arrive({ server, service }: World, { showsDetails }: { showsDetails?: boolean } = {}) {
  const buyer = await makeBuyer(server)
  const subscription = service.subscribe()
  await save(buyer.browser, { ...subscription, ...(showsDetails !== undefined && { showsDetails }) })
  return { ...buyer, subscription }
}

const paid: Omit<OwnerMessage, 'to'> = {
  link: '/history',
  subject: sentence('{amount} XCR was paid to your wallet', { amount: '3,000' }),
  paragraphs: ['Your withdrawal has been paid.'],
  facts: [['To', '0x00000000000000000000000000000000000000aa']],
}

type SentMessage = Partial<Omit<OwnerMessage, 'to'>> & { topic?: 'withdrawals' | 'rewards' | 'news' | 'security' }

const tell = (
  { server: { services } }: World,
  { user }: Pick<Buyer, 'user'>,
  { topic = 'withdrawals', ...rest }: SentMessage = {},
) =>
  services.orm.em.fork().transactional((transaction) => notifyOwner(transaction, services, { topic, to: user, ...paid, ...rest }))

const pending = () =>
  sql<{ id: string; attempts: number; wait: number }>(
    em(),
    'select id, attempts, round(extract(epoch from next_attempt_at - now()) * 1000)::int as wait from outgoing_pushes',
  )
const countSubscriptions = async () => (await sql(em(), 'select from push_subscriptions')).length
/** Lets time pass for the messages that wait. */
const wait = (milliseconds: number) =>
  sql(
    em(),
    `update outgoing_pushes set created_at = created_at - $1 * interval '1 ms', next_attempt_at = next_attempt_at - $1 * interval '1 ms'`,
    [milliseconds],
  )
const work = ({ server }: World) => sendDuePushes.run(server.services)
const titles = ({ service }: World) => service.received.map(({ message }) => message.notification.title)

test('a message is pushed in the format of Declarative Web Push, encrypted and signed, without amounts and addresses', async () => {
  const world = await setUp()
  const { subscription, user } = await arrive(world)
  await tell(world, { user }, { cause: 'withdrawal_paid:1' })
  await work(world)
  expect(world.service.faults).toEqual([])
  const tag = expect.stringMatching(/^[\w-]{32}$/)
  expect(world.service.received).toEqual([
    {
      endpoint: subscription.endpoint,
      message: {
        web_push: 8030,
        app_badge: 1,
        notification: {
          title: 'Your withdrawal was sent',
          lang: 'en',
          navigate: 'https://nodes.example.com/history',
          tag,
          app_badge: '1',
        },
      },
      ttl: expect.toSatisfy((ttl: number) => ttl > 86_000 && ttl <= 86_400),
      topic: tag,
      urgency: 'normal',
    },
  ])
  expect(await pending()).toEqual([])
})

test("an operator's message is announced without its words, unless the device shows details", async () => {
  const world = await setUp()
  const message: SentMessage = {
    topic: 'news',
    link: null,
    subject: sentence('Message from {brandName}', { brandName: 'XCR Nodes' }),
    paragraphs: [
      { en: 'Maintenance', ko: '점검' },
      { en: 'On Sunday.', ko: '일요일' },
    ],
    facts: [],
  }
  for (const showsDetails of [false, true]) {
    await tell(world, await arrive(world, { showsDetails }), message)
    await work(world)
  }
  const pushed = world.service.received.map(({ message: { notification } }) => notification)
  expect(pushed.map(({ title, body }) => [title, body])).toEqual([
    ['There is a message from our team', undefined],
    ['Message from XCR Nodes', 'Maintenance On Sunday.'],
  ])
})

test("amounts are shown on a device whose owner chose it, in the owner's language; the badge counts unread messages", async () => {
  const world = await setUp()
  const { browser, user } = await arrive(world, { showsDetails: true })
  await tell(world, { user }, { cause: '1' })
  const { messages } = await browser.call(listInbox, { query: { limit: 30, offset: 0 } })
  await browser.call(markRead, { body: { upTo: messages[0]!.id } })
  await sql(em(), `update users set language = 'ko' where id = $1`, [user.id])
  await tell(world, { user }, { cause: '2' })
  await work(world)
  expect(world.service.received.at(-1)!.message).toMatchObject({
    app_badge: 1,
    notification: { title: '3,000 XCR이 지갑으로 지급되었습니다', body: '출금이 완료되었습니다.', lang: 'ko' },
  })
})

test('no subject shows an amount, an address or a number of nodes unless its owner chose it', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  const subjects: OwnerMessage['subject'][] = [
    sentence('{count} nodes are yours: your purchase is confirmed', { count: 7 }),
    '1 node is yours: your purchase is confirmed',
    sentence('Your account still owes {amount} XCR', { amount: '55' }),
    sentence('Your nodes earned {amount}', { amount: '10 XCR' }),
    'Your password was changed',
  ]
  for (const [index, subject] of subjects.entries()) {
    await tell(world, { user }, { cause: `${index}`, subject, link: null })
    await work(world)
  }
  expect(titles(world)).toEqual([
    'Your purchase is confirmed',
    'Your purchase is confirmed',
    'There is news about your withdrawals',
    'There is news about your withdrawals',
    'Your password was changed',
  ])
  expect(world.service.received[0]!.message.notification.navigate).toBe('https://nodes.example.com/inbox')
})

test('whatever the subject of a message, its title has no number and no placeholder', () => {
  const reader = { language: 'en', showsDetails: false, unread: 0, site: 'https://nodes.example.com' } as const
  for (const text of Object.keys(ko) as (keyof typeof ko)[]) {
    const values = Object.fromEntries([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, '0x1234']))
    const content = { subject: { text, values }, paragraphs: [], facts: [] }
    const { payload } = describePush({ topic: 'payments', cause: 'a', content, link: null }, reader)
    const { notification } = JSON.parse(payload) as { notification: { title: string; body?: string } }
    expect(notification.title).toMatch(/^[^\d{}]+$/)
    expect(notification.body).toBeUndefined()
  }
})

test('each device gets a message once, however often and by however many workers its job runs', async () => {
  const world = await setUp()
  const buyer = await arrive(world)
  const phone = world.server.openBrowser()
  await logIn(world.server, phone, buyer.user)
  await save(phone, world.service.subscribe())
  await Promise.all([tell(world, buyer, { cause: '1' }), tell(world, buyer, { cause: '1' })])
  const jobs = await pending()
  expect(jobs).toHaveLength(2)
  const runs = jobs.flatMap(({ id }) => [1, 2, 3].map(() => sendPush.run({ pushId: id }, world.server.services)))
  await Promise.all([...runs, work(world), work(world)])
  await work(world)
  expect(new Set(world.service.received.map(({ endpoint }) => endpoint)).size).toBe(2)
  expect(world.service.received).toHaveLength(2)
})

test('a message is pushed if and only if its transaction commits, and also if its job is lost', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  const { services } = world.server
  const failed = services.orm.em.fork().transactional(async (transaction) => {
    await notifyOwner(transaction, services, { topic: 'withdrawals', to: user, ...paid })
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  expect(await pending()).toEqual([])

  await tell(world, { user })
  // A worker is killed while it sends: the job is gone, and another one takes over after the lease.
  await sql(em(), `update outgoing_pushes set attempts = 1, next_attempt_at = now() + interval '2 minutes'`)
  await work(world)
  expect(titles(world)).toEqual([])
  await wait(2 * MINUTE)
  await work(world)
  expect(titles(world)).toEqual(['Your withdrawal was sent'])
})

test('a worker killed after the push service accepted sends the same topic and tag again, which replace the first', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  await tell(world, { user }, { cause: '1' })
  const [row] = await sql<Record<string, never>>(em(), 'select * from outgoing_pushes')
  await work(world)
  await sql(em(), `insert into outgoing_pushes select * from jsonb_populate_record(null::outgoing_pushes, $1)`, [
    JSON.stringify(row),
  ])
  await work(world)
  const [first, second] = world.service.received
  expect([second!.topic, second!.message.notification.tag]).toEqual([first!.topic, first!.message.notification.tag])
})

test.each([404, 410])('after %i the subscription is deleted with all that waits for it', async (status) => {
  const world = await setUp()
  const { user } = await arrive(world)
  await tell(world, { user }, { cause: '1' })
  await tell(world, { user }, { cause: '2' })
  world.service.answer({ status }, { status })
  await work(world)
  expect([await countSubscriptions(), await pending()]).toEqual([0, []])
  await tell(world, { user }, { cause: '3' })
  expect(await pending()).toEqual([])
})

test('after 413 a shorter message is sent, and after another one none', async () => {
  const world = await setUp()
  const { user } = await arrive(world, { showsDetails: true })
  await tell(world, { user }, { cause: '1' })
  world.service.answer({ status: 413 })
  await work(world)
  expect(titles(world)).toEqual(['3,000 XCR was paid to your wallet', 'Your withdrawal was sent'])
  await tell(world, { user }, { cause: '2' })
  world.service.answer({ status: 413 }, { status: 413 })
  await work(world)
  expect([titles(world).length, await pending(), await countSubscriptions()]).toEqual([4, [], 1])
})

test('after 429 it is sent again when the push service says', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  await tell(world, { user })
  world.service.answer({ status: 429, headers: { 'retry-after': '3600' } })
  await work(world)
  const [row] = await pending()
  expect(row!.wait).toBeGreaterThan(HOUR - MINUTE)
  await work(world)
  expect(titles(world)).toHaveLength(1)
  await wait(HOUR)
  await work(world)
  expect([titles(world).length, await pending()]).toEqual([2, []])
  expect(world.service.received[1]!.ttl, 'what is left of the day').toBeLessThanOrEqual(82_800)

  const date = new Date(Date.now() + 2 * HOUR).toUTCString()
  world.service.answer({ status: 503, headers: { 'retry-after': date } })
  await tell(world, { user })
  await work(world)
  expect((await pending())[0]!.wait).toBeGreaterThan(HOUR)
})

test('a worker whose clock is ahead tries again no later', async () => {
  const world = await setUp()
  await tell(world, await arrive(world))
  vi.setSystemTime(Date.now() + HOUR)
  onTestFinished(() => void vi.useRealTimers())
  world.service.answer({ status: 503 })
  await work(world)
  expect(await pending()).toMatchObject([{ attempts: 1 }])
  expect((await pending())[0]!.wait).toBeLessThan(MINUTE)
})

test.each([500, 503, 401, 307])('after %i it is retried for a day with growing pauses, and then given up', async (status) => {
  const world = await setUp()
  const { user } = await arrive(world)
  await tell(world, { user })
  const pauses: number[] = []
  for (let tries = 0; (await pending()).length > 0; tries += 1) {
    expect(tries).toBeLessThan(100)
    world.service.answer({ status })
    await work(world)
    const [row] = await pending()
    if (row) pauses.push(row.wait)
    await wait(row?.wait ?? 0)
  }
  expect(pauses.length).toBeGreaterThan(40)
  expect(pauses[0]).toBeLessThan(MINUTE)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(30 * MINUTE)
  expect(await countSubscriptions()).toBe(1)
})

test('a worker whose clock is two days ahead gives up no message', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  await tell(world, { user })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * DAY })
  onTestFinished(() => void vi.useRealTimers())

  await work(world)

  expect(world.service.received).toHaveLength(1)
})

test('while no push service can be reached for a day, nothing piles up beyond the day', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  const { config } = world.server.services
  const push = createPushTransport(config.push!, {
    resolve: () => Promise.reject(new Error('no network')),
    dial: () => {
      throw new Error('no network')
    },
  })
  const offline = { ...world.server.services, push }
  for (let hour = 0; hour < 30; hour += 1) {
    await tell(world, { user }, { cause: `${hour}` })
    await sendDuePushes.run(offline)
    await wait(HOUR)
  }
  expect((await pending()).length).toBeLessThanOrEqual(24)
  await work(world)
  expect(titles(world).length).toBe(23)
  expect(await pending()).toEqual([])
})

test('topics are pushed as chosen; rewards not by default, and security always and urgently', async () => {
  const world = await setUp()
  const { user, browser } = await arrive(world)
  await tell(world, { user }, { topic: 'rewards' })
  await browser.call(updateMessageChoices, { body: { topic: 'withdrawals', push: false } })
  await tell(world, { user })
  expect(await pending()).toEqual([])
  await tell(world, { user }, { topic: 'security', subject: 'Your password was changed' })
  await work(world)
  expect(world.service.received).toMatchObject([
    { urgency: 'high', message: { notification: { title: 'Your password was changed' } } },
  ])
})

test('a device hears nothing after its logout, and nothing after the owner has logged it out', async () => {
  const world = await setUp()
  const owner = await arrive(world)
  const thief = world.server.openBrowser()
  await logIn(world.server, thief, owner.user)
  await save(thief, world.service.subscribe())
  await owner.browser.call(endOtherSessions, {})
  await tell(world, owner)
  await work(world)
  expect(world.service.received.map(({ endpoint }) => endpoint)).toEqual([owner.subscription.endpoint])

  await owner.browser.call(logout, {})
  await tell(world, owner)
  await work(world)
  expect(world.service.received).toHaveLength(1)
  await tidyUp.run(world.server.services)
  expect([await countSubscriptions(), await pending()]).toEqual([0, []])
})

test('a changed password ends the push messages of every device, and the own one subscribes again', async () => {
  const world = await setUp()
  const owner = await arrive(world)
  const thief = world.server.openBrowser()
  await logIn(world.server, thief, owner.user)
  await save(thief, world.service.subscribe())
  await owner.browser.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: 'Another-Passw0rd!' } })
  await tell(world, owner)
  await work(world)
  expect(world.service.received).toEqual([])
  await save(owner.browser, owner.subscription)
  await wait(HOUR)
  await work(world)
  const { endpoint } = owner.subscription
  expect(world.service.received.map((push) => push.endpoint)).toEqual([endpoint, endpoint])
  expect(titles(world).toSorted()).toEqual(['Your password was changed', 'Your withdrawal was sent'])
})

test('a device of an older epoch hears nothing, although its session still has a row', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  await sql(em(), 'update users set session_epoch = session_epoch + 1 where id = $1', [user.id])
  await tell(world, { user })
  await work(world)
  expect(titles(world)).toEqual([])
})

test('an owner who is away longer than a session lasts still hears, is shown the device, and can log it out', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  await sql(em(), `update web_sessions set expires_at = now() - interval '30 days' where account_id = $1`, [user.id])
  await tidyUp.run(world.server.services)
  await tell(world, { user })
  await work(world)
  expect(titles(world)).toHaveLength(1)

  const laptop = world.server.openBrowser()
  await logIn(world.server, laptop, user)
  expect(await laptop.call(listSessions, {})).toHaveLength(2)
  await laptop.call(endOtherSessions, {})
  expect(await laptop.call(listSessions, {})).toHaveLength(1)
  await tell(world, { user })
  await work(world)
  expect(titles(world)).toHaveLength(1)

  const other = await arrive(world)
  await sql(em(), `update web_sessions set expires_at = now() - interval '61 days' where account_id = $1`, [other.user.id])
  await tidyUp.run(world.server.services)
  expect(await countSubscriptions()).toBe(0)
})

test('a session that is only being renewed gets the message a moment later', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  const [session] = await sql<Record<string, never>>(em(), 'select * from web_sessions where account_id = $1', [user.id])
  await tell(world, { user })
  await sql(em(), 'delete from web_sessions where account_id = $1', [user.id])
  await work(world)
  await sql(em(), `insert into web_sessions select * from jsonb_populate_record(null::web_sessions, $1)`, [
    JSON.stringify(session),
  ])
  await wait(MINUTE)
  await work(world)
  expect(titles(world)).toHaveLength(1)
})

test('a phone that was handed on tells its new owner, and not the previous one, also of what was on its way', async () => {
  const world = await setUp()
  const before = await arrive(world, { showsDetails: true })
  const after = await makeBuyer(world.server)
  await tell(world, before)
  expect(await save(after.browser, before.subscription)).toEqual({ showsDetails: false })
  await tell(world, before)
  await tell(world, after, { topic: 'security', subject: 'Your password was changed' })
  await work(world)
  expect(titles(world)).toEqual(['Your password was changed'])
  expect(await pending()).toEqual([])
})

test("a stranger who knows a subscription's URL can't take it over", async () => {
  const world = await setUp()
  const owner = await arrive(world)
  const thief = await makeBuyer(world.server)
  const { endpoint } = owner.subscription
  for (const forged of [{ auth: world.service.subscribe().auth }, { p256dh: world.service.subscribe().p256dh }])
    await expect(save(thief.browser, { ...owner.subscription, ...forged, endpoint })).rejects.toMatchObject({
      code: 'push_service_unknown',
    })
  await tell(world, owner)
  await work(world)
  expect(titles(world)).toHaveLength(1)
})

test('a session has one subscription: a repeated one keeps its choice, and a new one replaces it', async () => {
  const world = await setUp()
  const { browser, subscription } = await arrive(world, { showsDetails: true })
  const answers = await Promise.all(Array.from({ length: 5 }, () => save(browser, subscription)))
  expect(answers).toEqual(answers.map(() => ({ showsDetails: true })))
  expect(await save(browser, { ...subscription, showsDetails: false })).toEqual({ showsDetails: false })
  await Promise.all([world.service.subscribe(), world.service.subscribe()].map((one) => save(browser, one)))
  expect(await countSubscriptions()).toBe(1)
  await browser.call(contract.deletePushSubscription, {})
  expect(await countSubscriptions()).toBe(0)
})

test('an account has ten subscriptions, also if more arrive at the same time; those of ended sessions do not count', async () => {
  const world = await setUp()
  const buyer = await makeBuyer(world.server)
  const browsers = await Promise.all(
    Array.from({ length: 14 }, async () => {
      const browser = world.server.openBrowser()
      await logIn(world.server, browser, buyer.user)
      return browser
    }),
  )
  const outcomes = await Promise.allSettled(browsers.map((browser) => save(browser, world.service.subscribe())))
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as { code: string }] : []))
  expect(refused.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'too_many_subscriptions'))
  expect(await countSubscriptions()).toBe(10)
  await buyer.browser.call(endOtherSessions, {})
  await save(buyer.browser, world.service.subscribe())
  expect(await countSubscriptions()).toBe(1)
})

test('only subscriptions of known push services with usable keys are stored', async () => {
  const { server, service } = await setUp()
  const { browser } = await makeBuyer(server)
  const valid = service.subscribe()
  const notOnCurve = Buffer.alloc(65, 1).fill(4, 0, 1).toString('base64url')
  const refused = [
    { endpoint: 'https://169.254.169.254/latest/meta-data' },
    { endpoint: 'https://localhost/' },
    { endpoint: `http://${PUSH_HOST}/` },
    { endpoint: `https://${PUSH_HOST}:8443/` },
    { endpoint: `https://user@${PUSH_HOST}/` },
    { endpoint: `https://${PUSH_HOST}/${'x'.repeat(1_000)}` },
    { p256dh: notOnCurve },
    { p256dh: createECDH('secp256k1').generateKeys('base64url') },
    { auth: 'short' },
  ]
  for (const part of refused) {
    const answer = await browser.fetch(server.url + contract.savePushSubscription.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...valid, ...part }),
    })
    expect(answer.status, JSON.stringify(part)).toBe(400)
  }
  expect(await countSubscriptions()).toBe(0)
})

test('a host that PUSH_HOSTS no longer names gets no request', async () => {
  const world = await setUp()
  const { user } = await arrive(world)
  await tell(world, { user })
  const { config } = world.server.services
  const push = createPushTransport({ ...config.push!, hosts: ['push.example.org'] }, world.service.dialling)
  await sendDuePushes.run({ ...world.server.services, push })
  expect(titles(world)).toEqual([])
})

test('the page learns the key for subscriptions; without push messages there is none, and nothing is sent', async () => {
  const world = await setUp()
  const { push } = world.server.services.config
  expect(await world.server.openBrowser().call(getConfig, {})).toMatchObject({ pushKey: push!.publicKey })
  const buyer = await arrive(world)
  await tell(world, buyer)

  const off = await startServer(database)
  expect(await off.openBrowser().call(getConfig, {})).not.toHaveProperty('pushKey')
  const browser = off.openBrowser()
  await logIn(off, browser, buyer.user)
  await expect(save(browser, world.service.subscribe())).rejects.toMatchObject({ status: 404 })
  await sendDuePushes.run(off.services)
  expect([await pending(), titles(world)]).toEqual([[], []])
})

test('subscriptions need an account', async () => {
  const { server, service } = await setUp()
  await expect(save(server.openBrowser(), service.subscribe())).rejects.toMatchObject({ code: 'unauthenticated' })
})
