import type { EntityManager } from '@mikro-orm/postgresql'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { pagingFields } from '#shared/contract/paging.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import type { Buyer } from '#api/testing/people.ts'
import { nameOf, readContract } from '#api/testing/readContract.ts'
import { startSale } from '#api/testing/sale.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const ROWS = 3
/** Lists of an answer that are not its rows. */
const besides = ['actions', 'dailyStats']

const queryOf = ({ query }: Endpoint): z.core.$ZodShape => (query instanceof z.ZodObject ? query.shape : {})
const isPaged = (endpoint: Endpoint) => 'offset' in queryOf(endpoint)

/** An installation in which each list has three rows at least. */
async function fillLists() {
  const sale = await startSale()
  const { services } = sale.server
  const { orm, clock } = services
  const { browser: administrator } = await openAdministrator(sale.server)
  const buyers: Buyer[] = []
  for (let row = 0; row < ROWS; row += 1) {
    const buyer = await sale.openBuyer()
    buyers.push(buyer)
    await sale.reserve(buyer, 1)
    await sale.post(buyer, { quantity: 1, usdt: '3' })
    await giveXcr(orm, buyer.user.id, '3000')
    await insertWithdrawal(orm, { userId: buyer.user.id, amount: '3000' })
    for (const [state, reason] of [
      ['ignored', null],
      ['review', 'unmatched'],
    ])
      await sql(
        orm.em.fork(),
        `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, review_reason, first_seen_at)
         values ($1, 56, $2, 0, $3, '0x0', 1, $4, $5, $6)`,
        [newId(), `0x${newId().replaceAll('-', '').repeat(2)}`, `0x${String(row).repeat(40)}`, state, reason, clock.now()],
      )
    await orm.em.fork().transactional(async (em) => {
      recordAudit(em, { actor: 'system', action: 'user.view' })
      const message = {
        to: buyers[0]!.user,
        topic: 'nodes',
        link: null,
        subject: '1 bonus node is yours',
        paragraphs: [],
      } as const
      await notifyOwner(em, services, message)
    })
  }
  const { id: userId, email } = buyers[0]!.user
  await fillPerson(orm.em.fork(), { userId, email })
  return { url: sale.server.url, userId, as: { admin: administrator, user: buyers[0]!.browser, public: buyers[0]!.browser } }
}

/** Gives an account three rows more of each part of its page. */
async function fillPerson(em: EntityManager, { userId, email }: { userId: string; email: string }): Promise<void> {
  const rows = `from generate_series(1, ${ROWS}) n`
  for (const insert of [
    `purchases (id, user_id, status, requested_quantity, unit_price, amount, created_at, opened_at, posted_at)
     select gen_random_uuid(), $1, 'failed', 1, 3, 3, now(), now(), now() ${rows}`,
    `deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, first_seen_at, user_id)
     select gen_random_uuid(), 56, '0x' || repeat('f', 64), n, '0x' || repeat('9', 40), '0x0', 1, 'ignored', now(), $1 ${rows}`,
    `nodes (number, user_id, purchase_id, kind, allocated_at, active_from)
     select 5000 + n, $1, (select id from purchases where user_id = $1 limit 1), 'paid', now(), now() ${rows}`,
    `proposals (id, call, arguments, action, hash, proposed_by_id, proposed_at, expires_at)
     select gen_random_uuid(), 'test', '{}', 'test', n, (select id from administrators limit 1), now(), now() ${rows}`,
    `reward_runs (day, rate, closed_at) select date '2027-01-01' + n, 1, now() ${rows}`,
    `distributions (day, user_id, id, active_nodes, rate, amount, created_at)
     select date '2027-01-01' + n, $1, gen_random_uuid(), 1, 1, 1, now() ${rows}`,
    `wallet_registrations (id, user_id, address, registered_at, removed_at)
     select gen_random_uuid(), $1, '0x' || repeat('8', 40), now(), now() ${rows}`,
    `user_notes (id, user_id, author, text, created_at) select gen_random_uuid(), $1, 'admin:root', 'Called.', now() ${rows}`,
  ])
    await sql(em, `insert into ${insert}`, insert.includes('$1') ? [userId] : [])
  await sql(
    em,
    `insert into withdrawals (id, user_id, amount, fee, to_address, status, refunded_at, message_hash, signed_message, signature, created_at, requested_at)
     select gen_random_uuid(), $1, 3000, 5, '0x' || repeat('7', 40), 'failed', now(), repeat(n::text, 64), '', '', now(), now() ${rows}`,
    [userId],
  )
  for (const insert of [
    `outgoing_mails (id, recipient, subject, text, html, created_at, next_attempt_at)
     select gen_random_uuid(), $1, 'Hello', '', '', now(), now() ${rows}`,
    `audit_entries (id, at, actor, action, target) select gen_random_uuid(), now(), 'admin:root', 'otp.reset', $1 ${rows}`,
  ])
    await sql(em, `insert into ${insert}`, [email])
}

interface Answer {
  totalCount: number
  totalPages: number
  currentPage: number
  hasNextPage: boolean
  hasPrevPage: boolean
}

const rowsOf = (answer: object): number =>
  Object.entries(answer)
    .flatMap(([name, value]) => (Array.isArray(value) && !besides.includes(name) ? [value.length] : []))
    .reduce((sum, length) => sum + length, 0)

test('every paged list takes limit and offset, has totals, and is empty with the same totals beyond its end', async () => {
  const { url, userId, as } = await fillLists()
  const paged = (await readContract()).filter(isPaged)
  expect(paged.map(nameOf).toSorted()).toEqual([
    'GET /api/admin/audit',
    'GET /api/admin/bonus-status',
    'GET /api/admin/deposits',
    'GET /api/admin/ignored-deposits',
    'GET /api/admin/pending-reviews',
    'GET /api/admin/proposals',
    'GET /api/admin/purchases',
    'GET /api/admin/users',
    'GET /api/admin/users/:id/audit',
    'GET /api/admin/users/:id/deposits',
    'GET /api/admin/users/:id/holds',
    'GET /api/admin/users/:id/inbox',
    'GET /api/admin/users/:id/mails',
    'GET /api/admin/users/:id/nodes',
    'GET /api/admin/users/:id/notes',
    'GET /api/admin/users/:id/purchases',
    'GET /api/admin/users/:id/rewards',
    'GET /api/admin/users/:id/wallets',
    'GET /api/admin/users/:id/withdrawals',
    'GET /api/admin/users/search',
    'GET /api/admin/withdrawals',
    'GET /api/admin/withdrawals/search',
    'GET /api/inbox',
  ])
  for (const endpoint of paged) {
    const name = nameOf(endpoint)
    expect([name, Object.keys(queryOf(endpoint))]).toEqual([name, expect.arrayContaining(['limit', 'offset'])])
    const isSearch = endpoint.path.endsWith('/search')
    const read = async (query: Record<string, unknown>) => {
      const text = new URLSearchParams({ ...(isSearch && { email: 'example.com' }), ...(query as Record<string, string>) })
      const response = await as[endpoint.access].fetch(`${url}${endpoint.path.replace(':id', userId)}?${text.toString()}`)
      return { status: response.status, answer: (await response.json()) as Answer }
    }

    const { answer: first } = await read({ limit: 2, offset: 0 })
    expect([name, first], name).toMatchObject([name, { currentPage: 1, hasNextPage: true, hasPrevPage: false }])
    expect(first, name).toMatchObject(z.object(pagingFields).parse(first))
    expect([name, first.totalCount, first.totalPages]).toEqual([
      name,
      expect.toSatisfy((count: number) => count >= ROWS),
      Math.ceil(first.totalCount / 2),
    ])
    expect([name, rowsOf(first) > 0]).toEqual([name, true])

    for (const offset of [first.totalCount, first.totalCount + 7, 1_000_000_000]) {
      const { status, answer } = await read({ limit: 2, offset })
      expect([name, offset, status, rowsOf(answer)]).toEqual([name, offset, 200, 0])
      expect([name, answer]).toMatchObject([
        name,
        {
          totalCount: first.totalCount,
          totalPages: first.totalPages,
          currentPage: Math.floor(offset / 2) + 1,
          hasNextPage: false,
          hasPrevPage: true,
        },
      ])
    }
    for (const query of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { offset: 'x' }])
      expect([name, query, (await read(query)).status]).toEqual([name, query, 400])
  }
})

test('lists that were paged by number still are', async () => {
  const { url, as } = await fillLists()
  for (const path of ['/api/admin/bonus-status', '/api/admin/pending-reviews']) {
    const read = async (query: string) => (await as.admin.fetch(`${url}${path}?${query}`)).json() as Promise<Answer>
    expect(await read('page=2&limit=2')).toEqual(await read('offset=2&limit=2'))
    expect((await read('page=2')).currentPage).toBe(2)
  }
})
