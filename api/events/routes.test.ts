import { expect, test } from 'vitest'
import { EVENTS_PATH } from '#shared/contract/events.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { listSystemSettings } from '#shared/contract/settings.ts'
import { changeSetting } from '../settings/changeSetting.ts'
import { useDatabase } from '../testing/database.ts'
import { listenToEvents as listen } from '../testing/listenToEvents.ts'
import { makeBuyer } from '../testing/people.ts'
import { startServer, type TestServer } from '../testing/server.ts'
import { recordChange } from './recordChange.ts'
import { publishChanges } from './runNotifier.ts'

const database = useDatabase()

const tell = async (server: TestServer, change: Parameters<typeof recordChange>[1]) => {
  await server.services.orm.em.fork().transactional((em) => recordChange(em, change))
  await publishChanges(server.services.orm)
}

test('a page hears of its own account and of everybody; a visitor only of everybody', async () => {
  const server = await startServer(database)
  const [me, other] = [await makeBuyer(server), await makeBuyer(server)]
  const [mine, theirs, visitors] = await Promise.all([
    listen(server, me.browser),
    listen(server, other.browser),
    listen(server, server.openBrowser()),
  ])

  await tell(server, { userId: me.user.id, keys: [getAuthUser.path] })
  await tell(server, { keys: [getNodeStats.path] })

  expect([await mine.hear(), await mine.hear()]).toEqual([[getAuthUser.path], [getNodeStats.path]])
  expect(await theirs.hear()).toEqual([getNodeStats.path])
  expect(await visitors.hear()).toEqual([getNodeStats.path])
  for (const stream of [mine, theirs, visitors]) stream.leave()
})

test('an account may have five pages open, and a sixth once one is closed', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const streams = await Promise.all(Array.from({ length: 5 }, () => listen(server, browser)))

  expect((await browser.fetch(`${server.url}${EVENTS_PATH}`)).status).toBe(429)
  streams[0]!.leave()

  await expect.poll(async () => (await listen(server, browser)).status).toBe(200)
})

test('a change that is rolled back is told to nobody', async () => {
  const server = await startServer(database)
  const failing = server.services.orm.em.fork().transactional(async (em) => {
    await recordChange(em, { keys: [getNodeStats.path] })
    throw new Error('no')
  })

  await expect(failing).rejects.toThrow('no')
  expect(await publishChanges(server.services.orm)).toBe(0)
})

test('whoever is told of a change and asks at once is answered with it', async () => {
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
