import { expect, test } from 'vitest'
import { getAuthUser, logout } from '#shared/contract/identity.ts'
import { sql } from '#api/platform/db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { sessionStore } from '#api/platform/http/sessionStore.ts'

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

test('a new session epoch of the account, as after a password change, ends all its sessions', async () => {
  const server = await startServer(database)
  const { browser, user } = await makeBuyer(server)
  await browser.call(getAuthUser, {})

  await sql(server.services.orm.em.fork(), 'update users set session_epoch = session_epoch + 1 where id = $1', [user.id])

  await expect(browser.call(getAuthUser, {})).rejects.toMatchObject({ status: 401 })
})

test('the session table contains no cookie value', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const id = browser.cookie('user_session')!

  const rows = await sql(server.services.orm.em.fork(), 'select * from web_sessions')

  expect(JSON.stringify(rows)).not.toContain(id)
})
