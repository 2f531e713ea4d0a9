import { beforeEach, describe, expect, test } from 'vitest'
import { settingDefaults } from '#shared/settings.ts'
import * as contract from '#shared/contract/setup.ts'
import { Administrator } from '#api/entities/Administrator.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { ChangeEvent } from '#api/entities/ChangeEvent.ts'
import { Installation } from '#api/platform/tables/Installation.ts'
import { SettingChange } from '#api/entities/SettingChange.ts'
import { verifyPassword } from '../identity/hashPassword.ts'
import { damage } from '#api/testing/damage.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startServer, type TestServer } from '#api/testing/server.ts'
import { issueSetupToken } from './issueSetupToken.ts'

const database = useDatabase()

beforeEach(async () => {
  // The history of the settings is append-only for the product.
  await database.superuser.em
    .fork()
    .transactional((em) =>
      damage(em, [
        'update installation set set_up_at = null, setup_token_hash = null, admin_allowed_ips = null, admin_initial_ips = null',
        ...['administrators', 'known_devices', 'setting_changes', 'change_events'].map((table) => `delete from ${table}`),
      ]),
    )
})

const payload = { username: 'owner', password: 'Passw0rd!', confirmPassword: 'Passw0rd!', allowedIps: ['127.0.0.1'] }

const initialize = ({ url }: TestServer, body: object = payload, headers: Record<string, string> = {}) =>
  fetch(url + contract.initializeSetup.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const refusalOf = async (response: Response) => {
  const { code, message } = (await response.json()) as { code: string; message: string }
  return [response.status, code, message]
}

const status = (server: TestServer) => server.openBrowser().call(contract.setupStatus, {})

describe('the first start', () => {
  test('requires the set-up until it is done, and notifies open pages of its completion', async () => {
    const server = await startServer(database)
    expect(await status(server)).toEqual({ setupRequired: true, currentIP: '127.0.0.1' })

    expect((await initialize(server)).status).toBe(200)

    expect(await status(server)).toEqual({ setupRequired: false })
    const changes = await database.orm.em.fork().find(ChangeEvent, { user: null })
    expect(changes.flatMap(({ keys }) => keys)).toContain('/api/setup/status')
  })

  test('creates the administrator, begins the history of the settings and audits the actor', async () => {
    const server = await startServer(database)

    await initialize(server)

    const em = database.orm.em.fork()
    const administrator = await em.findOneOrFail(Administrator, { username: 'owner' })
    expect(await verifyPassword('Passw0rd!', administrator.passwordHash)).toBe(true)
    const settings = await em.find(SettingChange, {})
    expect(Object.fromEntries(settings.map(({ key, value }) => [key, value]))).toEqual(settingDefaults)
    expect(settings.every(({ effectiveAt }) => effectiveAt.getTime() === server.clock.now().getTime())).toBe(true)
    expect(await em.findOneOrFail(AuditEntry, { action: 'setup.initialize' }, { orderBy: { id: 'desc' } })).toMatchObject({
      actor: 'admin:owner',
      ipAddress: '127.0.0.1',
      after: { allowedIps: ['127.0.0.1'] },
    })
  })

  test('of 20 concurrent calls one succeeds and the others learn that it is done', async () => {
    const server = await startServer(database)

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => initialize(server, { ...payload, username: `owner${index}` })),
    )

    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
    const winner = answers.findIndex(({ status }) => status === 200)
    const em = database.orm.em.fork()
    expect((await em.find(Administrator, {})).map(({ username }) => username)).toEqual([`owner${winner}`])
    expect(await em.count(SettingChange, {})).toBe(7)
    expect(await refusalOf(await initialize(server))).toEqual([409, 'setup_done', 'Setup has already been completed.'])
  })
})

describe('the allowed addresses', () => {
  test('are stored in normalized form, as the list in force and as a record', async () => {
    const server = await startServer(database)

    await initialize(server, { ...payload, allowedIps: [' ::1 ', '127.0.0.1', '::ffff:10.0.0.7', '2001:DB8:0:0:0:0:0:1'] })

    const installation = await database.orm.em.fork().findOneOrFail(Installation, 1)
    const stored = ['127.0.0.1', '10.0.0.7', '2001:db8::1']
    expect(installation).toMatchObject({ adminAllowedIps: stored, adminInitialIps: stored })
  })

  test('an invalid address is named in the error, and nothing is set up', async () => {
    const server = await startServer(database)

    for (const [text, message] of [
      ['10.0.0.300', '"10.0.0.300" is not an IP address.'],
      ['10.0.0.0/8', '"10.0.0.0/8" is not an IP address.'],
      ['', '"" is not an IP address.'],
    ] as const) {
      const answer = await initialize(server, { ...payload, allowedIps: ['127.0.0.1', text] })
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { code: 'invalid_request', message, details: { allowedIps: message } },
      ])
    }
    expect(await status(server)).toMatchObject({ setupRequired: true })
  })
})

test.each([
  [{ username: ' ' }, 'Please enter a username.'],
  [{ password: '' }, 'Please enter a password.'],
  [{ password: 'short', confirmPassword: 'short' }, 'Password must be at least 8 characters long.'],
  [{ confirmPassword: 'Passw0rd?' }, 'Please ensure both passwords are identical.'],
  [{ allowedIps: [] }, 'Please enter at least one allowed IP address.'],
])('%j is refused with "%s"', async (change, message) => {
  const server = await startServer(database)

  expect(await refusalOf(await initialize(server, { ...payload, ...change }))).toEqual([400, 'invalid_request', message])
})

describe.each([true, false])('with chains that are not embedded (production: %s)', (production) => {
  const start = () => startServer(database, { config: { production, demo: false, PUBLIC_URL: 'https://nodes.example' } })
  const required = [403, 'setup_token_required', 'Please open the setup link printed in the server log.']
  const tokenOf = (link: string | undefined) => link!.split('#token=')[1]!

  test('only the newest link in the log opens the set-up', async () => {
    const server = await start()
    const send = (token?: string) =>
      initialize(server, payload, token === undefined ? {} : { [contract.SETUP_TOKEN_HEADER]: token })

    expect(await refusalOf(await send())).toEqual(required)
    const older = await issueSetupToken(database.orm, 'https://nodes.example')
    const newer = await issueSetupToken(database.orm, 'https://nodes.example')
    expect(newer).toMatch(/^https:\/\/nodes\.example\/setup#token=[\w-]{43}$/)
    expect(await refusalOf(await send())).toEqual(required)
    expect(await refusalOf(await send(''))).toEqual(required)
    expect(await refusalOf(await send(tokenOf(older)))).toEqual(required)
    expect((await send(tokenOf(newer))).status).toBe(200)

    expect((await database.orm.em.fork().findOneOrFail(Installation, 1)).setupTokenHash).toBeNull()
    expect((await refusalOf(await send(tokenOf(newer))))[1]).toBe('setup_done')
    expect(await issueSetupToken(database.orm, 'https://nodes.example')).toBeUndefined()
  })
})
