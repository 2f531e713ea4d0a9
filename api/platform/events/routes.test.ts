import { connect } from 'node:net'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { getIpAccess } from '#shared/contract/admin/login.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { ADMIN_EVENTS_PATH, EVENTS_PATH } from '#shared/contract/events.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { listSystemSettings } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { sql } from '../db/sql.ts'
import { hashSessionId } from '../http/namedSession.ts'
import { createReadSession, findLiveSessions } from '../http/sessionStore.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { changeIpAccess } from '#api/office/administrators/changeIpAccess.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { openCallers } from '#api/testing/callers.ts'
import { useDatabase } from '#api/testing/database.ts'
import { listenToEvents as listen } from '#api/testing/listenToEvents.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startDatabaseProxy } from '#api/testing/startDatabaseProxy.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { EventHub } from './EventHub.ts'
import { recordChange } from './recordChange.ts'
import { publishChanges, publishPlaces } from './runNotifier.ts'
import { StreamSlots } from './StreamSlots.ts'

const database = useDatabase()

const publish = async (server: TestServer, change: Parameters<typeof recordChange>[1]) => {
  await server.services.orm.em.fork().transactional((em) => recordChange(em, change))
  await publishChanges(server.services.orm)
}

/** Keeps a reference, because fetch closes the stream of a response that is garbage-collected. */
const openStreams: Response[] = []

/** Opens a stream that stays open until its signal aborts it. */
async function statusOfStream(url: string, options: RequestInit): Promise<number> {
  const response = await fetch(url + EVENTS_PATH, options)
  openStreams.push(response)
  return response.status
}

test('a page receives changes of its own account and public changes; a visitor only public ones', async () => {
  const server = await startServer(database)
  const [me, other] = [await makeBuyer(server), await makeBuyer(server)]
  const [mine, theirs, visitors] = await Promise.all([
    listen(server, me.browser),
    listen(server, other.browser),
    listen(server, server.openBrowser()),
  ])

  await publish(server, { userId: me.user.id, keys: [getAuthUser.path] })
  await publish(server, { keys: [getNodeStats.path] })

  expect([await mine.hear(), await mine.hear()]).toEqual([[getAuthUser.path], [getNodeStats.path]])
  expect(await theirs.hear()).toEqual([getNodeStats.path])
  expect(await visitors.hear()).toEqual([getNodeStats.path])
  for (const stream of [mine, theirs, visitors]) stream.leave()
})

test('changes of the back office are sent to its own stream only, whoever they concern', async () => {
  const server = await startServer(database)
  const me = await makeBuyer(server)
  const administrator = await openAdministrator(server)
  const [mine, office] = await Promise.all([listen(server, me.browser), listen(server, administrator.browser, ADMIN_EVENTS_PATH)])

  await publish(server, { userId: me.user.id, keys: [getAuthUser.path, getWaiting.path] })
  await publish(server, { keys: [getWaiting.path, getNodeStats.path] })

  expect([await mine.hear(), await mine.hear()]).toEqual([[getAuthUser.path], [getNodeStats.path]])
  expect([await office.hear(), await office.hear()]).toEqual([[getWaiting.path], [getWaiting.path]])
  for (const stream of [mine, office]) stream.leave()
})

test('the stream of the back office needs an administrator, and ends with the session', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const administrator = await openAdministrator(server)
  const statusOf = async (caller: TestBrowser) => (await caller.fetch(server.url + ADMIN_EVENTS_PATH)).status
  expect([await statusOf(browser), await statusOf(server.openBrowser())]).toEqual([401, 401])

  const stream = await listen(server, administrator.browser, ADMIN_EVENTS_PATH)
  const findKeys = `select key from web_sessions where realm = 'admin' and account_id is not null`
  const keys = (await sql<{ key: string }>(database.orm.em.fork(), findKeys)).map(({ key }) => key)
  expect((await findLiveSessions(database.orm.em.fork(), keys)).size).toBe(keys.length)
  await sql(database.orm.em.fork(), 'update administrators set session_epoch = session_epoch + 1')
  expect(await findLiveSessions(database.orm.em.fork(), keys)).toEqual(new Set())
  stream.leave()
})

test('an address that the list does not allow gets no stream of the back office', async () => {
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1' } })
  const as = await openCallers(server)
  const headers = await as('admin from a forbidden address')

  expect((await fetch(server.url + ADMIN_EVENTS_PATH, { headers })).status).toBe(403)
  await sql(database.orm.em.fork(), 'update installation set admin_allowed_ips = null')
})

test('a stream of the back office ends when its address leaves the list, and stays while it is on it', async () => {
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1' } })
  const { browser } = await openAdministrator(server)
  const from = (address: string) => listen(server, browser, ADMIN_EVENTS_PATH, { 'x-forwarded-for': address })
  const [staying, leaving] = [await from('203.0.113.1'), await from('203.0.113.2')]
  const allow = async (allowedIps: string[]) => {
    const change = { allowedIps, actor: 'admin:root', clientAddress: '203.0.113.1' }
    await server.services.orm.em.fork().transactional((em) => changeIpAccess(em, change))
    await publishChanges(server.services.orm)
  }

  await allow(['203.0.113.1', '203.0.113.2'])
  expect([await staying.hear(), await leaving.hear()]).toEqual([[getIpAccess.path], [getIpAccess.path]])
  await allow(['203.0.113.1'])
  await expect(leaving.hear()).rejects.toThrow('The stream has ended.')
  expect(await staying.hear()).toEqual([getIpAccess.path])
  await publish(server, { keys: [getWaiting.path] })

  expect(await staying.hear()).toEqual([getWaiting.path])
  expect(server.services.events.countListeners()).toBe(1)
  staying.leave()
  await sql(database.orm.em.fork(), 'update installation set admin_allowed_ips = null')
})

test('the sale figures are sent with their change, so that no page requests them', async () => {
  const server = await startServer(database)
  const visitor = await listen(server, server.openBrowser())
  await sql(server.services.orm.em.fork(), 'update supply set reserved = 5')

  await publish(server, { keys: [getNodeStats.path, listSystemSettings.path] })

  expect(await visitor.hearAll()).toEqual({
    keys: [getNodeStats.path, listSystemSettings.path],
    nodeStats: expect.objectContaining({ totalSold: 5, paid: 0, bonus: 0, reserved: 5 }),
  })
  await publish(server, { keys: [listSystemSettings.path] })
  expect(await visitor.hearAll()).toEqual({ keys: [listSystemSettings.path] })
  visitor.leave()
})

test('a stream opens with the figures of the sale; the stream of the back office does not', async () => {
  const server = await startServer(database)
  const administrator = await openAdministrator(server)
  const [visitor, office] = [
    await listen(server, server.openBrowser()),
    await listen(server, administrator.browser, ADMIN_EVENTS_PATH),
  ]

  expect(visitor.opening).toEqual({ keys: [], nodeStats: expect.objectContaining({ total: expect.any(Number) }) })
  await publish(server, { keys: [getWaiting.path] })
  expect(await office.hear()).toEqual([getWaiting.path])
  visitor.leave()
  office.leave()
})

test('streams that open and close at the same time take and free their slots in one statement each', async () => {
  const server = await startServer(database)
  const buyers = await Promise.all([makeBuyer(server), makeBuyer(server), makeBuyer(server)])
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  const about = (words: string) => query.mock.calls.filter(([asked]) => JSON.stringify(asked).includes(words)).length
  // A connection takes the driver's function when it is made.
  const orm = new MikroORM(ormOptions({ url: database.url }))
  onTestFinished(() => orm.close(true))
  const slots = new StreamSlots(orm)
  await slots.take(randomUUID(), () => {})

  const before = about('insert into event_streams')
  const releases = await Promise.all(buyers.map(({ user }) => slots.take(user.id, () => {})))
  expect(about('insert into event_streams') - before).toBe(1)
  for (const release of releases) release?.()
  await slots.stop()
  expect(about('delete from event_streams')).toBe(1)
})

test('streams that open within a twentieth of a second read their sessions in one statement', async () => {
  const server = await startServer(database)
  const buyers = [await makeBuyer(server), await makeBuyer(server)] as const
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  // A connection takes the driver's function when it is made.
  const orm = new MikroORM(ormOptions({ url: database.url }))
  onTestFinished(() => orm.close(true))
  const keyOf = ({ browser }: { browser: TestBrowser }) => hashSessionId(browser.cookie('user_session')!)
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const read = createReadSession(orm, 'user', { delay: SECOND / 20 })

  const first = read(keyOf(buyers[0]))
  await vi.advanceTimersByTimeAsync(SECOND / 20 - 1)
  const second = read(keyOf(buyers[1]))
  await vi.advanceTimersByTimeAsync(1)

  expect((await Promise.all([first, second])).map((session) => session?.account_id)).toEqual(buyers.map(({ user }) => user.id))
  expect(query.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('from web_sessions s left join'))).toHaveLength(1)
})

test('a HEAD request is answered and follows nothing', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  expect((await browser.fetch(server.url + EVENTS_PATH, { method: 'HEAD' })).status).toBe(200)
  await expect.poll(() => server.services.events.countListeners()).toBe(0)
})

test('an account that waits in line is told its place on all its pages, nobody else is', async () => {
  const server = await startServer(database)
  const [me, other] = [await makeBuyer(server), await makeBuyer(server)]
  const [mine, theirs] = [await listen(server, me.browser), await listen(server, other.browser)]
  await publishPlaces(server.services.orm, new Map([[me.user.id, 312]]))
  await publishPlaces(server.services.orm, new Map([[me.user.id, null]]))
  await publish(server, { keys: [getNodeStats.path] })

  expect([await mine.hearAll(), await mine.hearAll()]).toEqual([
    { keys: [], place: 312 },
    { keys: [], place: null },
  ])
  expect(await theirs.hear()).toEqual([getNodeStats.path])
  mine.leave()
  theirs.leave()
})

test('an account may open five streams, and a sixth after one is closed', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const streams = await Promise.all(Array.from({ length: 5 }, () => listen(server, browser)))

  expect((await browser.fetch(`${server.url}${EVENTS_PATH}`)).status).toBe(429)
  streams[0]!.leave()

  await expect.poll(async () => (await listen(server, browser)).status).toBe(200)
})

describe('the five streams of an account, over all processes', () => {
  const statusOf = async (server: TestServer, cookie: string, leaving: AbortController) => {
    const headers = { cookie: `user_session=${cookie}` }
    return statusOfStream(server.url, { headers, signal: leaving.signal })
  }

  /** Two processes of one installation, and a session known to both. */
  async function startTwo() {
    const servers = [await startServer(database), await startServer(database)] as const
    const { browser, user } = await makeBuyer(servers[0])
    const leaving = new AbortController()
    const open = (server: TestServer) => statusOf(server, browser.cookie('user_session')!, leaving)
    return { servers, open, user, leave: () => leaving.abort() }
  }

  test('concurrent streams at two processes never exceed five', async () => {
    const { servers, open, user, leave } = await startTwo()

    const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => open(servers[index % 2]!)))

    expect([200, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([5, 15])
    expect(servers[0].services.events.countListeners() + servers[1].services.events.countListeners()).toBe(5)
    const slots = 'select slot from event_streams where account_id = $1 order by slot'
    expect(await sql(database.orm.em.fork(), slots, [user.id])).toEqual([1, 2, 3, 4, 5].map((slot) => ({ slot })))
    leave()
    // Closing a page at one process frees a slot for the other.
    await expect.poll(() => sql(database.orm.em.fork(), slots, [user.id])).toEqual([])
  })

  test('a process that ends frees its slots', async () => {
    const { servers, open, leave } = await startTwo()
    for (let count = 0; count < 5; count += 1) expect(await open(servers[0])).toBe(200)
    expect(await open(servers[1])).toBe(429)

    await servers[0].services.streams.stop()

    expect(await open(servers[1])).toBe(200)
    leave()
  })

  test('a crashed process keeps its slots until its lease expires; a paused process ends its own streams', async () => {
    const { servers, open, user, leave } = await startTwo()
    const [paused, other] = servers
    for (let count = 0; count < 5; count += 1) expect(await open(paused)).toBe(200)
    await paused.services.streams.renew()
    expect(await open(other)).toBe(429)

    const expire = `update stream_leases set expires_at = now() - interval '1 second' where id in (select lease_id from event_streams where account_id = $1)`
    await sql(database.orm.em.fork(), expire, [user.id])
    for (let count = 0; count < 5; count += 1) expect(await open(other)).toBe(200)
    await paused.services.streams.renew()

    await expect.poll(() => paused.services.events.countListeners()).toBe(0)
    expect(other.services.events.countListeners()).toBe(5)
    expect(await open(paused)).toBe(429)
    leave()
  })
})

test('a lease that cannot begin refuses its streams, and its renewal ends no process', async () => {
  const proxy = await startDatabaseProxy(database.url)
  const orm = new MikroORM(ormOptions({ url: proxy.url }))
  onTestFinished(() => orm.close(true))
  const slots = new StreamSlots(orm)
  onTestFinished(() => slots.stop())
  const [accountId, noEnd] = [randomUUID(), () => {}]

  proxy.breakAt('insert into stream_leases', 'before')
  const [opened, renewed] = await Promise.allSettled([slots.take(accountId, noEnd), slots.renew()])

  expect([opened.status, renewed.status]).toEqual(['rejected', 'fulfilled'])
  expect(await slots.take(accountId, noEnd)).toBeTypeOf('function')
})

test('visitors of one network share fifty streams over all its addresses; another network has its own fifty', async () => {
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1' } })
  const leaving = new AbortController()
  const open = (address: string) =>
    statusOfStream(server.url, { headers: { 'x-forwarded-for': address }, signal: leaving.signal })
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, visitor) => open(`2001:db8:1:2::${visitor + 1}`)))

  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  expect(await open('2001:db8:1:3::1')).toBe(200)
  leaving.abort()
})

test('a page that stops reading is disconnected; one that reads is not', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const { host, hostname, port } = new URL(server.url)
  const cookie = `user_session=${browser.cookie('user_session')}`
  const deaf = Array.from({ length: 5 }, () => connect(Number(port), hostname).pause())
  for (const socket of deaf) socket.write(`GET ${EVENTS_PATH} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`)
  await expect.poll(async () => (await listen(server, browser)).status).toBe(429)
  const visitor = await listen(server, server.openBrowser())

  // The connections themselves buffer some megabytes.
  const keys = [`/api/${'x'.repeat(60_000)}`]
  for (let told = 0; told < 300; told += 1) {
    server.services.events.publish({ all: keys, users: {} })
    expect(await visitor.hear()).toEqual(keys)
  }

  await expect.poll(async () => (await listen(server, browser)).status).toBe(200)
  visitor.leave()
  for (const socket of deaf) socket.destroy()
})

test('a page opened before the first connection reconnects after it', async () => {
  const hub = new EventHub()
  const told = new Promise<void>((resolve) => hub.onConnect(resolve))

  hub.connect(database.url)

  await told
  await hub.stop()
})

test('a rolled-back change is not published', async () => {
  const server = await startServer(database)
  const failing = server.services.orm.em.fork().transactional(async (em) => {
    await recordChange(em, { keys: [getNodeStats.path] })
    throw new Error('no')
  })

  await expect(failing).rejects.toThrow('no')
  expect(await publishChanges(server.services.orm)).toBe(0)
})

test('a refetch right after a change returns the changed data', async () => {
  const server = await startServer(database)
  const visitor = await listen(server, server.openBrowser())
  for (const value of ['true', 'false', 'true', 'false']) {
    const change = { key: 'server_notice_enabled' as const, value, effectiveAt: new Date() }
    await server.services.orm.em.fork().transactional((em) => changeSetting(em, change))
    server.services.events.publish({ all: [listSystemSettings.path], users: {} })

    expect(await visitor.hear()).toEqual([listSystemSettings.path])
    expect(await server.openBrowser().call(listSystemSettings, {})).toContainEqual({ key: change.key, value })
  }
  visitor.leave()
})

test('a change of some accounts is passed to their pages alone, until they leave', async () => {
  const hub = new EventHub()
  const heard: string[] = []
  const leave = ['me', 'me', 'other', undefined].map((account, page) =>
    hub.onChange(() => void heard.push(`${account} ${page}`), account),
  )
  const passed = async () => {
    hub.publish({ all: [], users: { me: ['x'] }, places: { me: 1 } })
    await expect.poll(() => heard).not.toEqual([])
    return heard.splice(0)
  }

  expect(await passed()).toEqual(['me 0', 'me 1'])
  leave[0]!()
  expect(await passed()).toEqual(['me 1'])
  leave[1]!()
  hub.publish({ all: ['y'], users: { me: ['x'] } })
  await expect.poll(() => heard).toEqual(['other 2', 'undefined 3'])
  await hub.stop()
})

test('with many pages the changes of a second are sent together at its end; changes of one account are sent at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const hub = new EventHub()
  const heard: string[] = []
  hub.onChange(({ all, users }) => void heard.push([...(all?.keys ?? []), ...Object.keys(users)].join()), 'me')
  for (let page = 0; page < 200; page += 1) hub.onChange(() => {})

  for (const all of [['a'], ['b'], ['c'], ['b']]) hub.publish({ all, users: {} })
  hub.publish({ all: ['c'], users: { me: ['x'] } })

  await expect.poll(() => heard).toEqual(['me'])
  vi.advanceTimersByTime(SECOND)
  await expect.poll(() => heard).toEqual(['me', 'a,b,c'])
  hub.publish({ all: ['d'], users: {} })
  vi.advanceTimersByTime(SECOND)
  await expect.poll(() => heard).toEqual(['me', 'a,b,c', 'd'])
  await hub.stop()
})
