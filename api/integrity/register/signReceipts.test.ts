import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { assignBonus } from '#shared/contract/admin/bonus.ts'
import * as identity from '#shared/contract/identity.ts'
import * as otp from '#shared/contract/otp.ts'
import * as contract from '#shared/contract/register.ts'
import { MINUTE } from '#shared/dates.ts'
import { utf8 } from '#shared/register/bytes.ts'
import type { ReceiptOf } from '#shared/register/receipts.ts'
import { accountHash, emailHash, messageHash } from '#shared/register/secrets.ts'
import { fromBase64 } from '#shared/register/bytes.ts'
import { ensureProofKeys } from '#api/accounts/proofs/ensureProofKeys.ts'
import { issueReceipts } from '#api/accounts/proofs/issueReceipts.ts'
import { readIdentities, readProofKeyChanges } from '#api/accounts/proofs/readIdentities.ts'
import { sql } from '#api/platform/db/sql.ts'
import { approve, startBackOffice } from '#api/testing/backOffice.ts'
import { usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { createDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { mailedCode, mailsTo } from '#api/testing/mails.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { openRegister } from '#api/testing/openRegister.ts'
import { type Buyer, makeBuyer } from '#api/testing/people.ts'
import { startSale } from '#api/testing/sale.ts'
import { startServer, type TestServer } from '#api/testing/server.ts'
import { REGISTER_ON } from '#api/testing/testConfig.ts'
import { startWithdrawals } from '#api/testing/withdrawals.ts'
import { issueMissingReceipts } from './issueMissingReceipts.ts'
import { signDueReceipts, signReceipts } from './signReceipts.ts'

const env = REGISTER_ON
const payments = usePaymentChain()
const rewards = useRewardChain()

async function openServer() {
  const database = await createDatabase()
  onCleanup(() => database.release())
  return { database, server: await startServer(database, { env }) }
}

const list = async ({ browser }: Pick<Buyer, 'browser'>, after = -1) =>
  (await browser.call(contract.listReceipts, { query: { after } })).receipts.map(({ note }) => note)
const rows = ({ services }: TestServer) =>
  sql<{ id: string; cause: string; note: string | null; position: number | null }>(
    services.orm.em.fork(),
    'select id, cause, note, position from register_receipts order by created_at, id',
  )

test('a new account gets its receipt in the answer and by mail, and its proof key opens it', async () => {
  const { database, server } = await openServer()
  const register = await openRegister(server.services)
  const browser = server.openBrowser()
  const email = 'new@example.com'
  await browser.call(identity.sendVerificationCode, { body: { email } })
  await browser.call(identity.verifyCode, { body: { email, code: await mailedCode(database, email) } })
  const { receipt } = await browser.call(identity.register, { body: { email, password: TEST_PASSWORD } })

  expect(register.open(receipt!)).toMatchObject({ kind: 'account', genesis: register.genesis, time: server.clock.productNow() })
  expect(await list({ browser })).toEqual([receipt])
  const [mail] = await mailsTo(database, email)
  expect(mail).toMatchObject({ subject: 'Your account is open', text: expect.stringContaining(receipt!) })
  expect(mail!.nextAttemptAt.getTime()).toBeLessThanOrEqual(Date.now())
})

test('the proof keys are shown after a code, once for each code; a replaced key stays and the change is counted', async () => {
  const { database, server } = await openServer()
  const register = await openRegister(server.services)
  const buyer = await makeBuyer(server)
  const { browser, user } = buyer
  await expect(browser.call(contract.showProofKeys, {})).rejects.toMatchObject({ code: 'otp_required' })
  await expect(browser.call(contract.changeProofKey, {})).rejects.toMatchObject({ code: 'otp_required' })
  const show = async () => {
    await browser.call(otp.verifyOtp, { body: { token: await buyer.code() } })
    return browser.call(contract.showProofKeys, {})
  }
  const first = await show()
  expect(first).toEqual({ proofKey: expect.any(String), earlier: [], email: user.email })
  await expect(browser.call(contract.showProofKeys, {})).rejects.toMatchObject({ code: 'otp_required' })
  expect(await show()).toEqual(first)

  await browser.call(otp.verifyOtp, { body: { token: await buyer.code() } })
  const second = await browser.call(contract.changeProofKey, {})
  await expect(browser.call(contract.changeProofKey, {})).rejects.toMatchObject({ code: 'otp_required' })
  expect(second.earlier).toEqual([first.proofKey])
  expect(second.proofKey).not.toBe(first.proofKey)
  expect(await show()).toEqual(second)

  const hashOf = (key: string) => accountHash({ proofKey: fromBase64(key)!, emailHash: emailHash(user.email) })
  const changes = await readProofKeyChanges(database.orm.em.fork())
  expect(changes.map(({ userId, oldAccountHash }) => [userId, Uint8Array.from(oldAccountHash)])).toEqual([
    [user.id, hashOf(first.proofKey)],
  ])
  await signDueReceipts.run(server.services)
  const accounts = (await list(buyer)).map((note) => register.open(note).account)
  expect(accounts).toEqual([hashOf(first.proofKey), hashOf(second.proofKey)])
  expect(await mailsTo(database, user.email)).toMatchObject([
    { subject: 'Your proof key was replaced', text: expect.stringContaining('receipt/account/v1') },
  ])
  const audited = await sql<{ action: string }>(
    database.orm.em.fork(),
    `select action from audit_entries where action like 'proof_key.%' order by at`,
  )
  expect(audited.map(({ action }) => action)).toEqual(['proof_key.show', 'proof_key.show', 'proof_key.change', 'proof_key.show'])
})

test('no GET of the register changes a row or uses up a code', async () => {
  const { database, server } = await openServer()
  await openRegister(server.services)
  const buyer = await makeBuyer(server)
  await buyer.grantMark()
  const tables = ['step_up_marks', 'proof_keys', 'register_receipts', 'audit_entries']
  const read = () =>
    Promise.all(tables.map((table) => sql(database.orm.em.fork(), `select to_jsonb(t) as row from ${table} t order by t::text`)))
  const before = await read()
  for (const path of ['key', 'key/show', 'days', 'day/2026-11-23', 'receipts'])
    await buyer.browser.fetch(`${server.url}/api/register/${path}`)
  expect(await read()).toEqual(before)
  expect(await buyer.browser.call(contract.showProofKeys, {})).toMatchObject({ email: buyer.user.email })
})

test('an account without an authenticator is not shown its proof key', async () => {
  const { server } = await openServer()
  const { browser } = await makeBuyer(server, { otp: false })
  await expect(browser.call(contract.showProofKeys, {})).rejects.toMatchObject({ code: 'otp_not_enabled' })
})

test('another e-mail needs another proof key, because a receipt binds both', async () => {
  const { database, server } = await openServer()
  const { user } = await makeBuyer(server)
  const ensure = () => database.orm.em.fork().transactional((em) => ensureProofKeys(em, server.services, [user.id]))
  const before = await ensure()
  expect(await ensure()).toEqual(before)
  await sql(database.orm.em.fork(), `update users set email = 'renamed@example.com' where id = $1`, [user.id])
  const after = await ensure()
  expect(after.get(user.id)).not.toEqual(before.get(user.id))
  expect(await readProofKeyChanges(database.orm.em.fork())).toMatchObject([
    { userId: user.id, oldAccountHash: before.get(user.id)!.accountHash },
  ])
})

test('transactions that need a proof key at the same time make one', async () => {
  const { database, server } = await openServer()
  const { user } = await makeBuyer(server)
  const ensure = () => database.orm.em.fork().transactional((em) => ensureProofKeys(em, server.services, [user.id]))
  const made = await Promise.all([ensure(), ensure(), ensure(), ensure()])
  for (const keys of made) expect(keys).toEqual(made[0])
  expect(await rows(server)).toHaveLength(1)
})

test('paid nodes get a receipt of their numbers, price and deposits in the transaction that allocates them', async () => {
  const sale = await startSale({ env })
  const register = await openRegister(sale.server.services)
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const first = await sale.pay(buyer.wallet, '2.5')
  await sale.confirm()
  expect(await rows(sale.server)).toEqual([])
  const second = await sale.pay(buyer.wallet, '3.5')
  await sale.confirm()

  // Stored with the nodes, before any job has run. The mail waits for the signature.
  const [purchase] = await sale.purchases(buyer)
  const stored = await rows(sale.server)
  const unsigned = stored.find(({ cause }) => cause === `purchase:${purchase!.id}`)!
  expect(unsigned.note).toBeNull()
  const [waiting] = await mailsTo(sale.database, buyer.user.email)
  expect(waiting!.nextAttemptAt.getTime()).toBe(waiting!.createdAt.getTime() + 2 * MINUTE)

  await signReceipts.run({ ids: stored.map(({ id }) => id) }, sale.server.services)
  const [account, note] = await list(buyer)
  const receipt = register.open(note!) as ReceiptOf<'nodes'>
  expect(receipt).toMatchObject({
    kind: 'nodes',
    cause: 'deposit',
    account: register.open(account!).account,
    numbers: [{ first: 1, last: 2 }],
    price: parseAmount('3'),
    transfers: [first, second].toSorted().map((transaction) => ({ transaction, ordinal: 0 })),
  })
  const [node] = await sql<{ active_from: string; allocated_at: string }>(sale.database.orm.em.fork(), 'select * from nodes')
  expect([receipt.time, receipt.active]).toEqual([new Date(node!.allocated_at), new Date(node!.active_from)])
  const [mail] = await mailsTo(sale.database, buyer.user.email)
  expect(mail!.text).toContain(note)
  expect(mail!.html).toContain('— localhost:3000/register/receipts')
  expect(mail!.nextAttemptAt.getTime()).toBeLessThanOrEqual(Date.now())
  expect(await list(buyer, 1)).toEqual([])
})

test('nodes confirmed without a deposit and granted nodes get receipts that say so', async () => {
  const office = await startBackOffice({ env })
  const register = await openRegister(office.server.services)
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 1, '3')
  await approve(office.one.browser, id)
  await office.call(assignBonus, { body: { userEmail: buyer.user.email, quantity: 2 } })
  await signDueReceipts.run(office.server.services)
  expect((await list(buyer)).map(register.open)).toMatchObject([
    { kind: 'account' },
    { kind: 'nodes', cause: 'unpaid', numbers: [{ first: 1, last: 1 }], price: parseAmount('3'), transfers: null },
    { kind: 'nodes', cause: 'grant', numbers: [{ first: 2, last: 3 }], price: null, transfers: null },
  ])
})

test('an accepted withdrawal carries its receipt in the answer, and a refused one leaves none', async () => {
  const { database } = await openServer()
  const withdrawals = await startWithdrawals(database, {
    env: { ...env, BSC_RPC_URLS: payments.url, XCR_RPC_URLS: rewards.url, XCR_TOKEN_ADDRESS: rewards.token },
  })
  const register = await openRegister(withdrawals.server.services)
  const holder = await withdrawals.openHolder({ xcr: '3000' })
  await holder.grantMark()
  const signed = await withdrawals.sign(holder, '3000')
  const answer = await withdrawals.send(holder, signed, 'key-1')
  expect(register.open((answer as { receipt?: string }).receipt!)).toMatchObject({
    kind: 'withdrawal',
    net: parseAmount('2995'),
    fee: parseAmount('5'),
    recipient: signed.signerAddress,
    message: messageHash(signed.signedMessage),
  })
  const [mail] = await mailsTo(database, holder.user.email)
  expect(mail!.text).toContain((answer as { receipt?: string }).receipt)

  await withdrawals.send(holder, signed, 'key-1')
  await expect(withdrawals.ask(holder, '3000')).rejects.toMatchObject({ code: 'insufficient_xcr' })
  expect((await rows(withdrawals.server)).map(({ cause }) => cause.split(':')[0])).toEqual(['key', 'withdrawal'])
})

test('a receipt that cannot be signed holds up neither its cause nor other receipts', async () => {
  const { database, server } = await openServer()
  await openRegister(server.services)
  const { user } = await makeBuyer(server)
  const issue = (cause: string, net: string) =>
    database.orm.em.fork().transactional((em) =>
      issueReceipts(em, server.services, [
        {
          userId: user.id,
          cause,
          facts: {
            kind: 'withdrawal',
            time: new Date().toISOString(),
            net,
            fee: '0',
            recipient: `0x${'a'.repeat(40)}`,
            message: '00'.repeat(32),
          },
        },
      ]),
    )
  await issue('withdrawal:one', '0')
  await issue('withdrawal:two', '1')
  await expect(signDueReceipts.run(server.services)).rejects.toThrow('1 receipts could not be signed.')
  expect((await rows(server)).filter(({ note }) => note === null).map(({ cause }) => cause)).toEqual(['withdrawal:one'])
})

test('workers that sign at the same time sign each receipt once, with positions without a gap', async () => {
  const { database, server } = await openServer()
  await openRegister(server.services)
  const buyer = await makeBuyer(server)
  const facts = { kind: 'account', time: new Date().toISOString() } as const
  await database.orm.em.fork().transactional((em) =>
    issueReceipts(
      em,
      server.services,
      Array.from({ length: 8 }, (_, index) => ({ userId: buyer.user.id, cause: `test:${index}`, facts })),
    ),
  )
  const ids = (await rows(server)).map(({ id }) => id)
  await Promise.all(
    Array.from({ length: 4 }, (_, index) => signReceipts.run({ ids: index % 2 ? ids : ids.toReversed() }, server.services)),
  )
  const signed = await rows(server)
  expect(signed.map(({ position }) => position).toSorted((a, b) => a! - b!)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect((await list(buyer)).length).toBe(9)
})

test('nothing is signed before the log begins, while it is stopped, or with a key that it does not name', async () => {
  const { database, server } = await openServer()
  const { user, browser } = await makeBuyer(server)
  await database.orm.em.fork().transactional((em) => ensureProofKeys(em, server.services, [user.id]))
  const sign = async (from = server) => {
    await signDueReceipts.run(from.services)
    return list({ browser })
  }
  expect(await sign()).toEqual([])
  await openRegister(server.services)
  const other = await startServer(database, { env: { ...env, RECEIPT_SIGNING_KEY: '66'.repeat(32) } })
  expect(await sign(other)).toEqual([])
  await sql(database.orm.em.fork(), `update register_state set stopped_because = 'test', stopped_at = now()`)
  expect(await sign()).toEqual([])
  await sql(database.orm.em.fork(), 'update register_state set stopped_because = null, stopped_at = null')
  expect(await sign()).toHaveLength(1)
})

test('nodes and withdrawals of a process without the register get their receipts later', async () => {
  const sale = await startSale()
  const { services } = await startServer(sale.database, { env })
  const register = await openRegister({ ...services, clock: sale.server.clock })
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 1)
  const hash = await sale.pay(buyer.wallet, '3')
  await sale.confirm()
  expect(await rows(sale.server)).toEqual([])
  await issueMissingReceipts.run(services)
  await issueMissingReceipts.run(services)
  await signDueReceipts.run(services)
  const notes = await sql<{ note: string }>(services.orm.em.fork(), 'select note from register_receipts order by position')
  expect(notes.map(({ note }) => register.open(note))).toMatchObject([
    { kind: 'account' },
    { kind: 'nodes', cause: 'deposit', transfers: [{ transaction: hash, ordinal: 0 }] },
  ])
  await expect(buyer.browser.call(contract.listReceipts, { query: { after: -1 } })).rejects.toMatchObject({ code: 'not_found' })
})

test('a stored proof key opens only for its account', async () => {
  const { database, server } = await openServer()
  const [one, other] = [await makeBuyer(server), await makeBuyer(server)]
  await database.orm.em.fork().transactional((em) => ensureProofKeys(em, server.services, [one.user.id, other.user.id]))
  const [stored] = await sql<{ secret: string }>(database.orm.em.fork(), 'select secret from proof_keys where user_id = $1', [
    one.user.id,
  ])
  expect(utf8(stored!.secret).length).toBeGreaterThan(80)
  await sql(database.orm.em.fork(), 'update proof_keys set secret = $1 where user_id = $2', [stored!.secret, other.user.id])
  const read = (id: string) => readIdentities(database.orm.em.fork(), server.services.config, [id])
  expect((await read(one.user.id)).get(one.user.id)!.all).toHaveLength(1)
  await expect(read(other.user.id)).rejects.toThrow()
})
