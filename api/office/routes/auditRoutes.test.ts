import { beforeEach, expect, test } from 'vitest'
import * as contract from '#shared/contract/admin/audit.ts'
import { type AuditFilter, ENTRIES_SEARCHED } from '../auditLog/auditFilter.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { readSpreadsheet } from '#api/testing/readSpreadsheet.ts'
import { damage } from '#api/testing/damage.ts'
import { makeUser } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { startServer } from '#api/testing/server.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const database = useDatabase()

const empty = () => database.superuser.em.fork().transactional((em) => damage(em, 'truncate audit_entries'))

beforeEach(empty)

/** An administrator and an empty log, without the login. */
async function setup() {
  const server = await startServer(database)
  const { browser } = await openAdministrator(server)
  await empty()
  return { ...server, browser, call: browser.call }
}

interface Given {
  actor?: string
  action?: string
  target?: string | null
  before?: unknown
  after?: unknown
  count?: number
}

let minutes = 0
/** The entries of each call share a time, one minute after those of the previous call, and all are newer than what the product records. */
async function record({ actor = 'admin:root', action = 'settings.change', target = null, before, after, count = 1 }: Given = {}) {
  minutes += 1
  await sql(
    database.orm.em.fork(),
    `insert into audit_entries (id, at, actor, ip_address, action, target, before, after)
     select gen_random_uuid(), timestamptz '2100-01-01' + $1 * interval '1 minute', $2, '203.0.113.7', $3, $4, $5, $6
     from generate_series(1, $7::int)`,
    [minutes, actor, action, target, JSON.stringify(before ?? null), JSON.stringify(after ?? null), count],
  )
}

const list = (
  { call }: Awaited<ReturnType<typeof setup>>,
  { limit = 50, offset = 0, ...filter }: { limit?: number; offset?: number } & AuditFilter = {},
) => call(contract.listAudit, { query: { limit, offset, ...filter } })

test('the log shows actor, action, time and address, newest first', async () => {
  const office = await setup()
  await record({ action: 'vesting.start' })
  await record({ target: 'node_price_usdt', before: { value: '3' }, after: { value: '4' } })

  const { entries, actions, ...paging } = await list(office)

  expect(entries).toEqual([
    {
      id: expect.any(String),
      at: expect.any(Date),
      actor: 'admin:root',
      ip: '203.0.113.7',
      action: 'settings.change',
      target: 'node_price_usdt',
      before: { value: '3' },
      after: { value: '4' },
    },
    expect.objectContaining({ action: 'vesting.start', before: null, after: null }),
  ])
  expect(actions).toEqual(['settings.change', 'vesting.start'])
  expect(paging).toEqual({ totalCount: 2, currentPage: 1, totalPages: 1, hasNextPage: false, hasPrevPage: false, isCut: false })
})

test('an empty log has one empty page', async () => {
  expect(await list(await setup())).toEqual({
    entries: [],
    actions: [],
    totalCount: 0,
    currentPage: 1,
    totalPages: 0,
    hasNextPage: false,
    hasPrevPage: false,
    isCut: false,
  })
})

test('pages have no gaps, also among entries of the same time', async () => {
  const office = await setup()
  await record({ count: 7 })
  const pages = [
    await list(office, { limit: 3 }),
    await list(office, { limit: 3, offset: 3 }),
    await list(office, { limit: 3, offset: 6 }),
  ]

  const ids = pages.flatMap(({ entries }) => entries.map(({ id }) => id))
  expect(ids).toHaveLength(7)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect(
    pages.map(({ currentPage, totalPages, hasNextPage, hasPrevPage }) => [currentPage, totalPages, hasNextPage, hasPrevPage]),
  ).toEqual([
    [1, 3, true, false],
    [2, 3, true, true],
    [3, 3, false, true],
  ])
})

test('the action filter is exact, the actor filter matches a part in any case, and both combine', async () => {
  const office = await setup()
  await record({ actor: 'admin:Root' })
  await record({ actor: 'admin:root', action: 'settings.change_all' })
  await record({ actor: 'user:a_b%c@example.com' })
  await record({ actor: 'user:axb-c@example.com', action: 'vesting.start' })

  const found = async (filter: { action?: string; actor?: string }) =>
    (await list(office, filter)).entries.map(({ actor, action }) => `${actor} ${action}`)

  expect(await found({ action: 'settings.change' })).toEqual([
    'user:a_b%c@example.com settings.change',
    'admin:Root settings.change',
  ])
  expect(await found({ action: 'settings%' })).toEqual([])
  expect(await found({ actor: 'ROOT' })).toEqual(['admin:root settings.change_all', 'admin:Root settings.change'])
  expect(await found({ actor: 'a_b%c' })).toEqual(['user:a_b%c@example.com settings.change'])
  expect(await found({ actor: '%c' })).toEqual(['user:a_b%c@example.com settings.change'])
  expect(await found({ actor: 'example.com', action: 'vesting.start' })).toEqual(['user:axb-c@example.com vesting.start'])
  expect(await found({ actor: 'nobody' })).toEqual([])
  expect((await list(office, { actor: 'nobody' })).actions, 'all there are, whatever the filter').toHaveLength(3)
})

test('pages cover the newest entries only and say so, however long the log is', async () => {
  const office = await setup()
  await record({ actor: 'user:first@example.com', action: 'first' })
  await record({ count: ENTRIES_SEARCHED })

  const last = await list(office, { offset: ENTRIES_SEARCHED - 50 })
  expect(last).toMatchObject({ totalCount: ENTRIES_SEARCHED, hasNextPage: false, isCut: true })
  expect(last.entries).toHaveLength(50)
  const beyond = await list(office, { offset: ENTRIES_SEARCHED })
  expect(beyond.entries).toEqual([])

  expect(await list(office, { actor: 'first@' })).toMatchObject({ totalCount: 1, isCut: false })
  expect(await list(office, { action: 'first' })).toMatchObject({ totalCount: 1, isCut: false })
  // No index finds two letters, so the newest entries are scanned.
  expect(await list(office, { actor: 't@' })).toMatchObject({ totalCount: 0, isCut: true })
  expect(await list(office, { action: 'settings.change' })).toMatchObject({ totalCount: ENTRIES_SEARCHED, isCut: false })
})

test('the export has every entry of the filter, itself included, and no cell is a formula', async () => {
  const { url, browser } = await setup()
  await record({ actor: 'admin:root', target: '=HYPERLINK("http://example.com")', before: { value: '3' }, after: { value: '4' } })
  await record({ actor: 'user:other@example.com', action: 'wallet.register', count: 1_200 })

  const rowsOf = async (filter: string) => {
    const answer = await browser.fetch(`${url}${contract.exportAudit.path}${filter}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.xlsx"$/)
    return readSpreadsheet(new Uint8Array(await answer.arrayBuffer()))
  }

  const all = await rowsOf('')
  expect(all).toHaveLength(1_203)
  expect(all.at(-1)).toEqual([
    expect.any(Date),
    expect.stringMatching(/^admin:/),
    '127.0.0.1',
    'list.export',
    'audit',
    null,
    '{"format": "xlsx"}',
  ])
  expect(await rowsOf('?actor=oth')).toHaveLength(1_201)
  const [header, ...rows] = await rowsOf('?action=settings.change&actor=root')
  expect(header).toEqual(['Time (UTC)', 'Who', 'IP address', 'Action', 'Target', 'Before', 'After'])
  expect(rows).toEqual([
    [
      expect.any(Date),
      'admin:root',
      '203.0.113.7',
      'settings.change',
      `'=HYPERLINK("http://example.com")`,
      '{"value": "3"}',
      '{"value": "4"}',
    ],
  ])
})

test('an entry names the account that its target is or belongs to; entries about administrators name none', async () => {
  const office = await setup()
  const { user } = await makeUser(database.orm.em.fork())
  await giveXcr(database.orm, user.id, '3000')
  const { id } = await insertWithdrawal(database.orm, { userId: user.id })
  await empty()
  const targets = [
    ['withdrawal.approve', `withdrawal:${id}`, user.id],
    ['withdrawal.approve', `withdrawal:${newId()}`, undefined],
    ['login', user.email, user.id],
    ['bonus.assign', `user:${user.email}`, user.id],
    ['admin.invite', user.email, undefined],
    ['settings.change', 'node_price_usdt', undefined],
    ['vesting.start', null, undefined],
  ] as const
  for (const [action, target] of targets) await record({ action, target })
  const { entries } = await list(office)
  expect(entries.toReversed().map(({ userId }) => userId)).toEqual(targets.map(([, , userId]) => userId))
})

test('the filter by a person finds what concerns the account, whoever did it, and dates narrow it', async () => {
  const office = await setup()
  const { user } = await makeUser(database.orm.em.fork())
  const other = await makeUser(database.orm.em.fork())
  await giveXcr(database.orm, user.id, '3000')
  const withdrawal = await insertWithdrawal(database.orm, { userId: user.id })
  await empty()
  await record({ target: user.email, action: 'user.password_reset' })
  await record({ target: `withdrawal:${withdrawal.id}`, action: 'withdrawal.approve' })
  await record({ target: other.user.email, action: 'user.password_reset' })
  await record({ actor: `user:${user.email}`, action: 'login' })
  await record({ actor: `user:x${user.email}`, action: 'login' })
  const found = async (filter: object) => (await list(office, filter)).entries.map(({ action, target }) => [action, target])

  const all = [
    ['login', null],
    ['withdrawal.approve', `withdrawal:${withdrawal.id}`],
    ['user.password_reset', user.email],
  ]
  expect(await found({ person: user.email.toUpperCase() })).toEqual(all)
  expect(await found({ person: user.email, action: 'login' })).toEqual(all.slice(0, 1))
  expect(await found({ person: 'nobody@example.com' })).toEqual([])
  const [last, middle] = (await list(office, { person: user.email })).entries
  expect(await found({ person: user.email, until: last!.at })).toEqual(all.slice(1))
  expect(await found({ person: user.email, from: middle!.at, until: last!.at })).toEqual(all.slice(1, 2))
})
