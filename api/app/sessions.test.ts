import Koa from 'koa'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { getAuthUser, logout } from '#shared/contract/identity.ts'
import { beginPasskeyLogin } from '#shared/contract/passkeys.ts'
import { DAY, MINUTE } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { cookieSession } from '#api/platform/http/cookieSession.ts'
import { RequestSession } from '#api/platform/http/RequestSession.ts'
import { sessionStore } from '#api/platform/http/sessionStore.ts'
import { visitorCookie } from '#api/platform/http/visitorCookie.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'

const database = useDatabase()

test('a session stays logged out when a slow request that started before the logout writes it afterwards', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const id = browser.cookie('user_session')!
  const store = sessionStore(server.services.orm, 'user')
  const ctx = { state: {}, get: () => '' } as never
  const read = await store.get(id, 1_000, { rolling: false, ctx })

  await browser.call(logout, {})
  await store.set(id, read, 60_000, { changed: true, rolling: false, ctx })

  browser.setCookie('user_session', id)
  await expect(browser.call(getAuthUser, {})).rejects.toMatchObject({ status: 401 })
})

test('an answer to a visitor that arrives after a login in another tab leaves the browser logged in', async () => {
  const server = await startServer(database)
  const { browser, user } = await makeBuyer(server)

  // Sent without a cookie before the login, and answered into the same browser after it.
  const answer = await fetch(`${server.url}${beginPasskeyLogin.path}`, { method: beginPasskeyLogin.method })
  expect(answer.status).toBe(200)
  for (const line of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    browser.setCookie(name, value)
  }

  expect(await browser.call(getAuthUser, {})).toMatchObject({ id: user.id })
})

test('the cookie of a visitor lives a day from what it was last needed for, which may count for half an hour', async () => {
  const { url, openBrowser } = await startServer(database)
  const browser = openBrowser()
  const begin = async () => {
    const answer = await browser.fetch(`${url}${beginPasskeyLogin.path}`, { method: beginPasskeyLogin.method })
    return answer.headers.getSetCookie().find((line) => line.startsWith('visitor='))
  }
  await begin()
  const token = browser.cookie('visitor')!

  const renewed = await begin()
  expect(renewed).toContain(`visitor=${token};`)
  const expires = new Date(/expires=([^;]+)/i.exec(renewed!)![1]!)
  expect(Math.abs(expires.getTime() - Date.now() - DAY)).toBeLessThan(MINUTE)
})

test('a new session epoch of the account, as after a password change, ends all its sessions', async () => {
  const server = await startServer(database)
  const { browser, user } = await makeBuyer(server)
  await browser.call(getAuthUser, {})

  await sql(server.services.orm.em.fork(), 'update users set session_epoch = session_epoch + 1 where id = $1', [user.id])

  await expect(browser.call(getAuthUser, {})).rejects.toMatchObject({ status: 401 })
})

test('a session that ends before the request of its login does stays ended', async () => {
  const server = await startServer(database)
  const { user } = await makeBuyer(server)
  const { config, orm } = server.services
  const em = orm.em.fork()
  const app = new Koa().use(cookieSession('user', { config, orm })).use(async (ctx) => {
    ctx.state.visitor = () => visitorCookie(ctx, { secure: false })
    await new RequestSession(ctx, 'user').signIn({ id: user.id, epoch: user.sessionEpoch })
    await sql(em, 'delete from web_sessions where account_id = $1', [user.id])
    ctx.body = 'done'
  })
  const listening = app.listen(0, '127.0.0.1')
  onTestFinished(() => void listening.close())
  await once(listening, 'listening')

  await fetch(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`)

  expect(await em.count(WebSession, { accountId: user.id })).toBe(0)
})

test('the session table contains no cookie value', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const id = browser.cookie('user_session')!

  const rows = await sql(server.services.orm.em.fork(), 'select * from web_sessions')

  expect(JSON.stringify(rows)).not.toContain(id)
})
