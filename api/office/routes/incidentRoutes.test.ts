import { expect, test } from 'vitest'
import * as contract from '#shared/contract/admin/incidents.ts'
import { getStatus } from '#shared/contract/status.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { newId } from '#api/platform/db/newId.ts'
import { publishChanges } from '#api/platform/events/runNotifier.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startServer } from '#api/testing/server.ts'

const database = useDatabase()

const body = {
  title: { en: 'Payouts are slow', ko: '지급이 지연되고 있습니다' },
  text: { en: 'The reward chain is busy.\nNothing is lost.', ko: '리워드 체인이 혼잡합니다.' },
}
const later = { title: { en: 'Payouts were slow', ko: null }, text: { en: 'All are paid now.', ko: null } }

async function setUp() {
  const server = await startServer(database)
  await server.openPublic()
  const { browser, username } = await openAdministrator(server)
  const notified = () => new Promise((resolve) => server.services.events.onChange(resolve))
  return {
    server,
    browser,
    actor: `admin:${username}`,
    /** Does something, and returns the incidents of the status page once it was notified. */
    async after(work: () => Promise<unknown>) {
      const arrived = notified()
      await work()
      await publishChanges(server.services.orm)
      await arrived
      return (await server.openBrowser().call(getStatus, {})).incidents
    },
  }
}

test('an incident is on the status page at once, changes its text and ends, each with an audit entry', async () => {
  const { server, browser, actor, after } = await setUp()
  const { clock } = server
  const startedAt = clock.now()
  const start = () => browser.call(contract.startIncident, { body }, { idempotencyKey: 'same' })
  const [incident, ...others] = await after(start)
  expect(others).toEqual([])
  expect(incident).toEqual({ id: incident!.id, ...body, startedAt, updatedAt: startedAt, resolvedAt: null })
  await start()
  expect((await browser.call(contract.listIncidents, {})).incidents).toEqual([{ ...incident, createdBy: actor }])

  clock.advance(1_000)
  const params = { id: incident!.id }
  expect(await after(() => browser.call(contract.updateIncident, { params, body: later }))).toEqual([
    { ...incident, ...later, updatedAt: clock.now() },
  ])
  const updatedAt = clock.now()
  clock.advance(1_000)
  expect(await after(() => browser.call(contract.resolveIncident, { params }))).toEqual([
    { ...incident, ...later, updatedAt, resolvedAt: clock.now() },
  ])
  await expect(browser.call(contract.resolveIncident, { params })).rejects.toMatchObject({
    status: 409,
    code: 'incident_resolved',
  })

  const entries = await database.orm.em.fork().find(AuditEntry, { target: incident!.id }, { orderBy: { id: 'asc' } })
  expect(entries).toMatchObject([
    { actor, action: 'incident.start', after: body },
    { actor, action: 'incident.update', before: body, after: later },
    { actor, action: 'incident.resolve', after: { resolvedAt: clock.now().toISOString() } },
  ])
})

test('links, addresses and missing English words are refused, and Korean is optional', async () => {
  const { server, browser } = await setUp()
  const post = (sent: object) =>
    browser.fetch(server.url + contract.startIncident.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    })
  for (const part of ['title', 'text'] as const) {
    for (const words of ['See evil.example', 'a\u200bb', '  ', 'x '.repeat(600)])
      for (const language of ['en', 'ko'] as const)
        expect((await post({ ...body, [part]: { ...body[part], [language]: words } })).status).toBe(400)
    expect((await post({ ...body, [part]: { ko: '점검' } })).status).toBe(400)
  }
  expect(await (await post({ ...body, title: { en: ' ' } })).json()).toMatchObject({
    message: 'Please fill in title and text in English. Korean is optional.',
  })
  expect((await post({ title: { en: 'One' }, text: { en: 'Two' } })).status).toBe(200)
})

test('an unknown incident is not found', async () => {
  const { browser } = await setUp()
  const params = { id: newId() }
  for (const call of [
    () => browser.call(contract.updateIncident, { params, body: later }),
    () => browser.call(contract.resolveIncident, { params }),
  ])
    await expect(call()).rejects.toMatchObject({ status: 404, code: 'not_found' })
})
