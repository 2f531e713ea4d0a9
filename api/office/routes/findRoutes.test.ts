import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { findAnything, FOUND_PER_KIND } from '#shared/contract/admin/find.ts'
import { newId, newShownId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { startServer } from '#api/testing/server.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const database = useDatabase()
const run = (text: string, parameters: unknown[] = []) => sql(database.orm.em.fork(), text, parameters)
const someHash = () => `0x${newId().replaceAll('-', '').padStart(64, '0')}`

/** Answers of the search without the times and owners, which one test checks. */
async function setup(env: Record<string, string> = {}) {
  const server = await startServer(database, { env })
  const { browser } = await openAdministrator(server)
  const call = (text: string) => browser.call(findAnything, { query: { text } })
  const find = async (text: string) => (await call(text)).results.map(({ kind, id, matched }) => [kind, id, matched])
  return { server, orm: server.services.orm, browser, call, find }
}

async function insertPurchase({ userId, paid, claimed }: { userId: string; paid?: string; claimed?: string }) {
  const id = newShownId()
  await run(
    `insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, transaction_hash, claimed_hash, created_at, opened_at, posted_at)
     values ($1, $2, 'pending', 1, 3, 3, $3, $4, now(), now(), now())`,
    [id, userId, paid ?? null, claimed ?? null],
  )
  return id
}

async function insertDeposit({
  hash,
  sender,
  refund,
  userId,
}: {
  hash: string
  sender: string
  refund?: string
  userId?: string
}) {
  const id = newId()
  await run(
    `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, review_reason, first_seen_at, refund_hash, user_id)
     values ($1, 56, $2, 0, $3, '0x0', 7, 'review', 'unmatched', now(), $4, $5)`,
    [id, hash, sender, refund ?? null, userId ?? null],
  )
  return id
}

const makeHolder = async (email?: string) => (await makeUser(database.orm.em.fork(), email ? { email } : {})).user

test('an account is found by part of its email address, with what a result shows', async () => {
  const { call } = await setup()
  const user = await makeHolder('a.person_100%@example.com')

  expect(await call('PERSON_100%')).toEqual({
    results: [
      {
        kind: 'user',
        id: user.id,
        matched: 'email',
        userId: user.id,
        userEmail: user.email,
        status: null,
        amount: null,
        at: user.createdAt,
      },
    ],
    isCut: false,
  })
  expect((await call('person_1000%')).results).toEqual([])
})

test('a wallet finds the account that has it, those that had it, and the payments from it', async () => {
  const { find } = await setup()
  const [now, before] = [await makeHolder(), await makeHolder()]
  const wallet = makeAccount().address.toLowerCase()
  const register = `insert into wallet_registrations (id, user_id, address, registered_at, removed_at) values ($1, $2, $3, $4, $5)`
  await run(register, [newId(), before.id, wallet, new Date(1), new Date(2)])
  await run(register, [newId(), now.id, wallet, new Date(3), new Date(4)])
  await run(register, [newId(), now.id, wallet, new Date(5), null])
  const deposit = await insertDeposit({ hash: someHash(), sender: wallet })

  expect(await find(wallet.toUpperCase().replace('0X', '0x'))).toEqual([
    ['user', now.id, 'wallet'],
    ['user', before.id, 'former_wallet'],
    ['deposit', deposit, 'sender'],
  ])
})

test('a transaction finds the purchase it paid or was reported for, the payment, a refund, and a withdrawal', async () => {
  const { find, orm } = await setup()
  const { id: userId } = await makeHolder()
  const [payment, refund, payout] = [someHash(), someHash(), someHash()]
  const [paid, claimed] = [
    await insertPurchase({ userId, paid: payment, claimed: payment }),
    await insertPurchase({ userId, claimed: payment }),
  ]
  const deposit = await insertDeposit({ hash: payment, refund, sender: '0xa', userId })
  const { id: withdrawal } = await insertWithdrawal(orm)
  await run(
    `update withdrawals set status = 'completed', completed_at = now(), transaction_hash = $2, transfer_ordinal = 0 where id = $1`,
    [withdrawal, payout],
  )

  expect(await find(payment)).toEqual([
    ['purchase', paid, 'hash'],
    ['purchase', claimed, 'claimed_hash'],
    ['deposit', deposit, 'hash'],
  ])
  expect(await find(refund)).toEqual([['deposit', deposit, 'refund_hash']])
  expect(await find(payout)).toEqual([['withdrawal', withdrawal, 'hash']])
})

test('a transaction that was signed for a withdrawal finds it before it is final', async () => {
  const { find, orm } = await setup()
  const { id } = await insertWithdrawal(orm)
  const [payout, hash] = [newId(), someHash()]
  await run(`insert into payout_wallets (address, next_nonce) values ('0x1', 1)`)
  await run(
    `insert into payouts (id, wallet_address, nonce, cause, withdrawal_id, recipient, amount, state, signed_at)
     values ($1, '0x1', 0, $2, $3, '0x0', 1, 'sent', now())`,
    [payout, `withdrawal:${id}`, id],
  )
  await run(
    `insert into payout_attempts (id, payout_id, hash, signed_bytes, kind, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
     values ($1, $2, $3, '0x', 'pay', 1, 1, now())`,
    [newId(), payout, hash],
  )

  expect(await find(hash)).toEqual([['withdrawal', id, 'hash']])
})

test('an id finds its row, whole or by the eight characters that people are shown', async () => {
  const { find, call, orm } = await setup()
  const { id: userId, email } = await makeHolder()
  const purchase = await insertPurchase({ userId })
  const withdrawal = await insertWithdrawal(orm, { amount: '3000' })
  const deposit = await insertDeposit({ hash: someHash(), sender: '0xb' })

  expect([await find(purchase), await find(purchase.slice(0, 8).toUpperCase())]).toEqual([
    [['purchase', purchase, 'id']],
    [['purchase', purchase, 'id']],
  ])
  expect((await call(purchase)).results).toMatchObject([{ userId, userEmail: email, status: 'pending', amount: 3n }])
  expect((await call(withdrawal.id)).results).toMatchObject([
    { kind: 'withdrawal', status: 'pending', amount: parseAmount('3000') },
  ])
  expect((await call(deposit)).results).toMatchObject([
    { kind: 'deposit', status: 'review', userId: null, userEmail: null, amount: 7n },
  ])
  expect(await find(userId)).toEqual([['user', userId, 'id']])
})

test('a number finds its node and its owner', async () => {
  const { call } = await setup()
  const owner = await makeHolder()
  const purchase = await insertPurchase({ userId: owner.id })
  await run(
    `insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from) values (19042, $1, $2, 'paid', now(), now())`,
    [owner.id, purchase],
  )

  // The random addresses of other holders may contain the number too.
  for (const text of ['19042', '#19042'])
    expect((await call(text)).results.filter(({ kind }) => kind === 'node')).toMatchObject([
      { kind: 'node', id: '19042', matched: 'number', userId: owner.id, userEmail: owner.email },
    ])
})

test('more than a few results of a kind are cut, and said to be', async () => {
  const { call } = await setup()
  for (let count = 0; count <= FOUND_PER_KIND; count += 1) await makeHolder(`crowd${count}@many.example`)

  const { results, isCut } = await call('@many.example')

  expect([results.length, isCut]).toEqual([FOUND_PER_KIND, true])
})

test('texts that are no searches are refused, and hostile ones find nothing', async () => {
  const { browser, server, call } = await setup()
  const statusOf = async (text: string) =>
    (await browser.fetch(`${server.url}/api/admin/find?text=${encodeURIComponent(text)}`)).status

  expect([await statusOf(''), await statusOf('  '), await statusOf('a'.repeat(255)), await statusOf('a\0')]).toEqual([
    400, 400, 400, 400,
  ])
  for (const text of [`' or 1=1 --`, String.raw`\%_`, '{"a":1}', '😀'.repeat(60), '99999999999999999999'])
    expect([text, (await call(text)).results]).toEqual([text, []])
})

test('an administrator who searches too often is refused', async () => {
  const { call } = await setup({ RATE_LIMITS: 'search=1/900' })
  await call('somebody')

  await expect(call('somebody')).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
})
