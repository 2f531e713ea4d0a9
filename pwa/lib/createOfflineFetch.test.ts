import { beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { adminLoginStatus, adminLogout } from '#shared/contract/admin/login.ts'
import { NotSent } from '#shared/contract/client.ts'
import { getAuthUser, logout } from '#shared/contract/identity.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { listPurchases } from '#shared/contract/purchases.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { someUser } from '#pwa/testing/answers.ts'
import { api } from './api.ts'
import { useConnection } from './connection.ts'
import { createOfflineFetch } from './createOfflineFetch.ts'
import { TAKEN_AT } from './offlineCopies.ts'
import { isLogoutQueued, queueLogout } from './queuedLogout.ts'
import { deleteSnapshot } from './offlineSnapshot.ts'

const mara = { id: 'mara', totalNodes: 10 }
const otto = { id: 'otto', totalNodes: 3 }

/** A fake server as a table of responses by path; `null` is a network failure. */
let network: Record<string, (() => Response) | null> = {}
const asked: string[] = []
const fetchOffline = createOfflineFetch(async (input, init) => {
  const { pathname } = new URL(new Request(input, init).url)
  asked.push(pathname)
  const answer = network[pathname]
  if (!answer) throw new TypeError('Failed to fetch')
  return answer()
})

const ask = (path: string, init?: RequestInit) => fetchOffline(location.origin + path, init)
const answers = (body: object) => () => Response.json(body)
const refuses = () => Response.json({ message: 'Unauthorized' }, { status: 401 })
/** Of a proxy. */
const loginPage = (status = 200) =>
  new Response('<h1>Please log in to this network</h1>', { status, headers: { 'content-type': 'text/html' } })

beforeEach(() => {
  localStorage.clear()
  deleteSnapshot()
  useConnection.setState(useConnection.getInitialState())
  asked.length = 0
})

async function logIn(user: object, purchases: object[] = []) {
  network = { [getAuthUser.path]: answers(user), [listPurchases.path]: answers(purchases) }
  await ask(listPurchases.path)
  await ask(getAuthUser.path)
}

test('offline, users see their own last data and its time', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-20T12:00:00Z'), toFake: ['Date'] })
  await logIn(mara, [{ quantity: 10 }])
  vi.setSystemTime(new Date('2026-11-20T18:00:00Z'))
  network = {}

  await expect((await ask(getAuthUser.path)).json()).resolves.toEqual(mara)
  await expect((await ask(listPurchases.path)).json()).resolves.toEqual([{ quantity: 10 }])
  expect(useConnection.getState()).toMatchObject({ isOffline: true, takenAt: new Date('2026-11-20T12:00:00Z') })
})

test("a proxy's page in place of an answer is a lost connection: it replaces nothing that is stored", async () => {
  await logIn(mara, [{ quantity: 10 }])
  network = {
    [getAuthUser.path]: () => loginPage(),
    [listPurchases.path]: () => loginPage(),
    [otpStatus.path]: () => loginPage(),
  }

  await expect((await ask(getAuthUser.path)).json()).resolves.toEqual(mara)
  await expect((await ask(listPurchases.path)).json()).resolves.toEqual([{ quantity: 10 }])
  await expect(ask(otpStatus.path)).rejects.toThrow(TypeError)
})

test('only the listed data is stored', async () => {
  await logIn(mara)
  network['/api/auth/otp/status'] = answers({ otpEnabled: true })
  await ask('/api/auth/otp/status')
  network = {}

  await expect(ask('/api/auth/otp/status')).rejects.toThrow(TypeError)
  expect(useConnection.getState().isInDoubt).toBe(true)
  await expect(ask(getAuthUser.path, { method: 'POST' })).rejects.toThrow(TypeError)
})

test('a 401 deletes the data, one of the back office does not', async () => {
  await logIn(mara)
  network['/api/admin/auth/user'] = refuses
  await ask('/api/admin/auth/user')
  network[getAuthUser.path] = null
  await expect((await ask(getAuthUser.path)).json()).resolves.toEqual(mara)

  network[listPurchases.path] = refuses
  await ask(listPurchases.path)
  expect(Object.keys(localStorage)).toEqual([])
  await expect(ask(getAuthUser.path)).rejects.toThrow(TypeError)
})

test('logging out deletes the data, and a pending response is not stored after it', async () => {
  await logIn(mara)
  let answerLate = (_response: Response) => {}
  const late = createOfflineFetch(() => new Promise((resolve) => (answerLate = resolve)))(location.origin + listPurchases.path)
  deleteSnapshot()
  answerLate(Response.json([{ quantity: 10 }]))
  await late

  expect(Object.keys(localStorage)).toEqual([])
})

test("the next user finds none of the previous user's data", async () => {
  await logIn(mara, [{ quantity: 10 }])
  network = { [getAuthUser.path]: answers(otto) }
  await ask(getAuthUser.path)
  network = {}

  await expect((await ask(getAuthUser.path)).json()).resolves.toEqual(otto)
  await expect(ask(listPurchases.path)).rejects.toThrow(TypeError)
  expect(JSON.stringify(localStorage)).not.toContain('mara')
})

test('a copy of the service worker is marked, and its clocks are advanced', async () => {
  const takenAt = new Date(Date.now() - 3_600_000)
  const copy = (body: object) => () => Response.json(body, { headers: { [TAKEN_AT]: takenAt.toISOString() } })
  network = {
    [getNodeStats.path]: copy({ totalSold: 3 }),
    [getConfig.path]: copy({ serverTime: takenAt.toISOString(), productTime: takenAt.toISOString(), brandName: 'XCR' }),
  }

  await expect((await ask(getNodeStats.path)).json()).resolves.toEqual({ totalSold: 3 })
  const config = (await (await ask(getConfig.path)).json()) as Record<string, string>
  expect(useConnection.getState()).toMatchObject({ isOffline: true, takenAt })
  expect(config.brandName).toBe('XCR')
  for (const time of [config.serverTime!, config.productTime!]) expect(Date.now() - Date.parse(time)).toBeLessThan(60_000)
})

test('a queued logout is sent before any other request', async () => {
  queueLogout()
  network = { [getNodeStats.path]: answers({}), [getAuthUser.path]: answers(mara) }
  await expect(ask(getAuthUser.path), 'the call waits for it, so it had no effect').rejects.toThrow(NotSent)
  expect(asked).toEqual([logout.path])
  await ask(getNodeStats.path)

  network = { ...network, [logout.path]: answers({ message: 'Logged out' }), [getAuthUser.path]: refuses }
  asked.length = 0
  await Promise.all([ask(getAuthUser.path), ask(listPurchases.path).catch(() => undefined)])
  expect(asked[0]).toBe(logout.path)
  expect(asked.filter((path) => path === logout.path)).toHaveLength(1)
  expect(isLogoutQueued()).toBe(false)
})

test.each([
  ['a page of a proxy', () => loginPage()],
  ["a proxy's refusal", () => loginPage(403)],
  ['too many requests', () => Response.json({ message: 'Please wait.', code: 'rate_limited' }, { status: 429 })],
])('a queued logout that met %s stays queued, and no other request is sent', async (_, answer) => {
  queueLogout()
  network = { [logout.path]: answer, [getAuthUser.path]: answers(mara) }
  await expect(ask(getAuthUser.path)).rejects.toThrow(NotSent)
  expect(isLogoutQueued()).toBe(true)
  expect(asked).toEqual([logout.path])
})

test('what the page requested before a queued logout is forgotten', async () => {
  queueLogout()
  window.earlyAnswers = { [getAuthUser.path]: Promise.resolve(Response.json(z.encode(getAuthUser.response, someUser()))) }
  network = { [logout.path]: answers({ message: 'Logged out' }), [getAuthUser.path]: refuses }
  vi.stubGlobal('fetch', async (input: string) => network[new URL(input).pathname]!())

  await expect(api(getAuthUser, {})).rejects.toMatchObject({ status: 401 })
  expect(Object.keys(localStorage)).toEqual([])
})

test("an administrator's queued logout is sent before any other request of the back office, and no other request waits for it", async () => {
  queueLogout('admin')
  network = { [getNodeStats.path]: answers({}), [adminLoginStatus.path]: answers({ isLoggedIn: true }) }
  await ask(getNodeStats.path)
  await expect(ask(adminLoginStatus.path)).rejects.toThrow(NotSent)
  expect(asked).toEqual([getNodeStats.path, adminLogout.path])

  network = { ...network, [adminLogout.path]: () => Response.json({}, { status: 403 }) }
  await ask(adminLoginStatus.path)
  expect(isLogoutQueued('admin'), 'refused by the list of addresses').toBe(true)

  network = { ...network, [adminLogout.path]: answers({ message: 'Logged out' }) }
  asked.length = 0
  await ask(adminLoginStatus.path)
  await ask(adminLoginStatus.path)
  expect(asked).toEqual([adminLogout.path, adminLoginStatus.path, adminLoginStatus.path])
  expect(isLogoutQueued('admin')).toBe(false)
})
