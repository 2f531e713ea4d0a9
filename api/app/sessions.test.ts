import { expect, test } from 'vitest'
import { getAuthUser, logout } from '#shared/contract/identity.ts'
import { sql } from '#api/platform/db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { sessionStore } from '#api/platform/http/sessionStore.ts'

const database = useDatabase()

test('a session that was logged out stays so, though a slow request that began before writes it at its end', async () => {
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

test('a session ends everywhere when its account begins a new epoch, as a changed password does', async () => {
  const server = await startServer(database)
  const { browser, user } = await makeBuyer(server)
  await browser.call(getAuthUser, {})

  await sql(server.services.orm.em.fork(), 'update users set session_epoch = session_epoch + 1 where id = $1', [user.id])

  await expect(browser.call(getAuthUser, {})).rejects.toMatchObject({ status: 401 })
})

test('a stolen copy of the table opens nothing: it holds no id of any cookie', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const id = browser.cookie('user_session')!

  const rows = await sql(server.services.orm.em.fork(), 'select * from web_sessions')

  expect(JSON.stringify(rows)).not.toContain(id)
})
