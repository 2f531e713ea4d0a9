import { expect, test, vi } from 'vitest'
import { changeAdminCredentials, getAdminCredentials } from '#shared/contract/admin/login.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { verifyOtp } from '#shared/contract/otp.ts'
import { listPurchases } from '#shared/contract/purchases.ts'
import { createSessionFetch, pathOf } from './createSessionFetch.ts'

const url = (path: string) => `https://nodes.example${path}`

/** A fake server whose responses the test releases. */
function openServer() {
  const waiting: { path: string; answer: (status: number) => void }[] = []
  const send = createSessionFetch(
    (input) =>
      new Promise((resolve) => {
        const { pathname } = new URL(input as string)
        waiting.push({ path: pathname, answer: (status) => resolve(new Response(null, { status })) })
      }),
  )
  return { waiting, call: (path: string, init?: RequestInit) => send(url(path), init) }
}

test('a request under way during a change of the cookie is retried, whichever response is first', async () => {
  for (const refusedFirst of [true, false]) {
    const { waiting, call } = openServer()
    const user = call(getAuthUser.path)
    const verified = call(verifyOtp.path, { method: 'POST' })
    const answers = [() => waiting[0]!.answer(401), () => waiting[1]!.answer(200)]
    for (const answer of refusedFirst ? answers : answers.toReversed()) answer()
    expect((await verified).status).toBe(200)
    await expect.poll(() => waiting.length).toBe(3)
    expect(waiting[2]!.path).toBe(getAuthUser.path)
    waiting[2]!.answer(200)

    expect((await user).status).toBe(200)
  }
})

const RETRY_DELAY = 500

test('while another tab changes the cookie that both share, a refused request is repeated once with the new one', async () => {
  vi.useFakeTimers()
  let cookie = 'old'
  let accepted = 'old'
  let requests = 0
  const open = () =>
    createSessionFetch(async (input) => {
      requests += 1
      if (pathOf(input) !== verifyOtp.path) return new Response(null, { status: cookie === accepted ? 200 : 401 })
      // The session is another one before the answer with its cookie has arrived.
      accepted = 'new'
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY - 1))
      cookie = 'new'
      return new Response(null)
    })
  const [changing, watching] = [open(), open()]
  expect((await watching(url(getAuthUser.path))).status).toBe(200)
  const changed = changing(url(verifyOtp.path), { method: 'POST' })
  const read = Promise.all([watching(url(getAuthUser.path)), watching(url(listPurchases.path))])
  await vi.advanceTimersByTimeAsync(RETRY_DELAY)

  expect((await changed).status).toBe(200)
  expect((await read).map(({ status }) => status)).toEqual([200, 200])
  expect(requests).toBe(6)
})

test('the end of a session is reported after the second refusal, and a write is sent once', async () => {
  vi.useFakeTimers()
  const { waiting, call } = openServer()
  const read = call(listPurchases.path)
  waiting[0]!.answer(401)
  await vi.advanceTimersByTimeAsync(RETRY_DELAY)
  waiting[1]!.answer(401)
  expect((await read).status).toBe(401)

  const write = call(listPurchases.path, { method: 'POST' })
  waiting[2]!.answer(401)
  expect((await write).status).toBe(401)
  expect(waiting).toHaveLength(3)
})

test('a visitor is told at once that nobody is logged in, and a second refusal is final', async () => {
  const { waiting, call } = openServer()
  const alone = call(getAuthUser.path)
  waiting[0]!.answer(401)
  expect((await alone).status).toBe(401)

  const user = call(getAuthUser.path)
  const verified = call(verifyOtp.path, { method: 'POST' })
  waiting[1]!.answer(401)
  waiting[2]!.answer(401)
  expect((await verified).status).toBe(401)
  await expect.poll(() => waiting.length).toBe(4)
  waiting[3]!.answer(401)

  expect((await user).status).toBe(401)
  expect(waiting).toHaveLength(4)
})

test.for([verifyOtp, changeAdminCredentials])('requests wait while $path changes the cookie', async ({ method, path }) => {
  const { waiting, call } = openServer()
  const renewed = call(path, { method })
  const user = call(getAuthUser.path)
  expect(waiting).toHaveLength(1)

  waiting[0]!.answer(200)
  await renewed
  await expect.poll(() => waiting.length).toBe(2)
  waiting[1]!.answer(200)
  expect((await user).status).toBe(200)
})

test('a change of the cookie that hangs holds no request that is given up, and no other for long', async () => {
  vi.useFakeTimers()
  const { waiting, call } = openServer()
  void call(verifyOtp.path, { method: 'POST' })
  const abort = new AbortController()
  void call(getAuthUser.path, { signal: abort.signal })
  void call(getAuthUser.path)
  abort.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(waiting).toHaveLength(2)

  await vi.advanceTimersByTimeAsync(8_000)
  expect(waiting).toHaveLength(3)
})

test('reading the credentials changes no cookie', () => {
  const { waiting, call } = openServer()
  for (const _ of [1, 2]) void call(getAdminCredentials.path)
  expect(waiting).toHaveLength(2)
})
