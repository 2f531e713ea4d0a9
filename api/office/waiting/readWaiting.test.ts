import { beforeEach, expect, test } from 'vitest'
import { getAdminStats } from '#shared/contract/admin/office.ts'
import { listPendingReviews } from '#shared/contract/admin/purchases.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { ADMIN_EVENTS_PATH } from '#shared/contract/events.ts'
import { DAY, HOUR } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { publishChanges } from '#api/platform/events/runNotifier.ts'
import { createSweepRecord } from '#api/platform/jobs/createSweepRecord.ts'
import { tellOffice } from '#api/app/schedule.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { listenToEvents } from '#api/testing/listenToEvents.ts'
import { startServer } from '#api/testing/server.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { stopWallet } from '#api/withdrawals/payoutWallets/stopWallet.ts'

const database = useDatabase()
const run = (text: string, parameters: unknown[] = []) => sql(database.orm.em.fork(), text, parameters)

beforeEach(async () => {
  for (const table of ['withdrawals', 'deposits', 'purchases', 'payout_wallets', 'audit_runs', 'sweep_runs', 'change_events'])
    await run(`delete from ${table}`)
  await run('update pgboss.queue set failed_count = 0')
})

async function setup() {
  const server = await startServer(database)
  const { browser } = await openAdministrator(server)
  return { server, browser, orm: server.services.orm, read: () => browser.call(getWaiting, {}) }
}

const none = {
  withdrawals: 0,
  holds: 0,
  reviews: 0,
  proposals: 0,
  stoppedPayouts: 0,
  lowWallets: 0,
  differences: 0,
  failingTasks: 0,
  total: 0,
}

const insertDeposit = (sender: string, state = 'review') =>
  run(
    `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, review_reason, first_seen_at)
     values ($1, 56, $2, 0, $3, '0x0', 1, $4, 'unmatched', now())`,
    [newId(), `0x${newId().replaceAll('-', '').padStart(64, '0')}`, `0x${sender.repeat(40)}`, state],
  )

const insertPurchase = async (status: string) => {
  const { user } = await makeUser(database.orm.em.fork())
  await run(
    `insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, created_at, opened_at, posted_at)
     values ($1, $2, $3, 1, 3, 3, now(), now(), now())`,
    [newId(), user.id, status],
  )
}

test('nothing waits in an installation where everything is well', async () => {
  const { orm, read } = await setup()
  await insertWithdrawal(orm)
  await insertPurchase('pending')
  await insertDeposit('a', 'matched')
  await run(`insert into payout_wallets (address, next_nonce) values ('0x1', 0)`)
  await run(`insert into audit_runs (id, at, unchecked, differences) values ($1, now(), '[]', '[]')`, [newId()])
  await run(`insert into sweep_runs (name, finished_at, failed_at) values ('healed', now(), now() - interval '1 second')`)

  expect(await read()).toEqual(none)
})

test('everything that waits is counted by kind, and the total is beside the pending reviews', async () => {
  const { browser, orm, read } = await setup()
  for (const reviewReason of ['above_limit', 'recent_change', 'unknown_outcome'] as const)
    await insertWithdrawal(orm, { reviewReason })
  for (const reviewReason of ['recent_change', 'recent_change'] as const)
    await insertWithdrawal(orm, { reviewReason, heldUntil: new Date(Date.now() + HOUR) })
  // Two payments of one sender are one case.
  for (const sender of ['a', 'a', 'b']) await insertDeposit(sender)
  await insertPurchase('manual_review')
  await run(`insert into payout_wallets (address, next_nonce, stopped_because, low_since) values
    ('0x1', 0, 'restored', null), ('0x2', 0, null, now())`)
  await run(
    `insert into audit_runs (id, at, unchecked, differences) values
    ($1, now() - interval '1 day', '[]', '["a", "b", "c"]'), ($2, now(), '[]', '["d", "e"]')`,
    [newId(), newId()],
  )
  await run(
    `insert into sweep_runs (name, finished_at, failed_at) values
    ('never-well', null, now()), ('ill', now() - interval '1 hour', now()), ('gone', null, now() - $1 * interval '1 ms')`,
    [3 * DAY],
  )
  await run(`update pgboss.queue set failed_count = 4 where name = 'send-mail'`)

  expect(await read()).toEqual({
    withdrawals: 3,
    holds: 2,
    reviews: 3,
    proposals: 0,
    stoppedPayouts: 1,
    lowWallets: 1,
    differences: 2,
    failingTasks: 3,
    total: 15,
  })
  expect(await browser.call(getAdminStats, {})).toMatchObject({ pendingReviews: 4, allWaiting: 15 })
  expect(await browser.call(listPendingReviews, { query: { limit: 20, offset: 0 } })).toMatchObject({ totalCount: 3 })
})

test('open pages of the back office hear of a new withdrawal, a stopped wallet and a failing task', async () => {
  const { server, browser, orm } = await setup()
  await run(`insert into payout_wallets (address, next_nonce) values ('0x1', 0)`)
  const stream = await listenToEvents(server, browser, ADMIN_EVENTS_PATH)
  const recordTask = createSweepRecord(server.services, { name: 'a-task' }, tellOffice)

  for (const change of [
    () => insertWithdrawal(orm, { reviewReason: 'above_limit' }),
    () => orm.em.fork().transactional((em) => stopWallet(em, { address: '0x1', because: 'restored', now: new Date() })),
    () => recordTask({ error: new Error('no disk') }),
    () => recordTask(),
  ]) {
    await change()
    await publishChanges(orm)
    expect(await stream.hear()).toEqual([getWaiting.path])
  }
  stream.leave()
})

test('a task that goes on well tells nobody', async () => {
  const { server } = await setup()
  await createSweepRecord(server.services, { name: 'a-task' }, tellOffice)()

  expect(await run('select keys from change_events')).toEqual([])
})
