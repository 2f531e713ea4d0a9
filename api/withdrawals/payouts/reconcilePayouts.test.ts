import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Address, Hash } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { parseAmount } from '#shared/amount.ts'
import { HOUR, SECOND } from '#shared/dates.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { sql } from '#api/platform/db/sql.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { refundWithdrawal } from '../requests/refundWithdrawal.ts'
import { arePayoutsStopped } from '../payoutWallets/arePayoutsStopped.ts'
import { lockWallet } from '../payoutWallets/lockWallet.ts'
import { CannotReconcile } from './requireUnanimity.ts'
import { acknowledgeTransfer } from './decideTransfer.ts'

/** Pays from the payout wallet without a row, as if the key were used elsewhere or the rows were lost. */
async function payUnknown(payouts: Payouts, to: Address, xcr: string): Promise<Hash> {
  const hash = await payouts.chain.transfer({ from: payouts.key, to, amount: parseAmount(xcr)! })
  await payouts.mineLater()
  return hash
}

/** Returns the lines of the error that keeps payouts stopped. */
async function refusalOf(reconciling: Promise<unknown>): Promise<string[]> {
  const refusal = await reconciling.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(refusal).toBeInstanceOf(CannotReconcile)
  expect(String(refusal)).toContain('Payouts stay stopped')
  return String(refusal).replace('CannotReconcile: ', '').split('\n')
}

const acknowledge = ({ services }: Payouts, hash: Hash, email?: string) =>
  acknowledgeTransfer(services, {
    endpoints: rewardEndpoints(services.config),
    hash,
    reason: 'paid by hand',
    actor: 'operator:test',
    email,
  })

/** Restores the state of an older backup. */
const forget = async ({ orm }: Payouts) => {
  const em = orm.em.fork()
  for (const statement of [
    'delete from payout_attempts',
    'delete from payouts',
    'update payout_wallets set next_nonce = 0',
    `update withdrawals set status = 'pending', transaction_hash = null`,
  ])
    await sql(em, statement)
}

test('payments made since a restored backup are matched with their withdrawals, and nothing is paid again', async () => {
  const payouts = await startPayouts()
  const opened = [await payouts.open(), await payouts.open(), await payouts.open()]
  await payouts.tick()
  // Later than the requests, by the chain's clock too.
  await payouts.mineLater()
  await payouts.chain.mine(payouts.confirmations)
  const paid = await payouts.transfers()
  expect(paid).toHaveLength(3)
  await forget(payouts)
  const fresh = await payouts.open()

  await payouts.tick()
  await payouts.tick()
  expect(await payouts.payouts()).toEqual([])
  expect(payouts.alerts).toHaveLength(1)
  const lines = await payouts.reconcile()

  expect(lines).toHaveLength(4)
  for (const [index, { id }] of opened.entries()) expect(lines[index]).toContain(`has paid withdrawal ${id}`)
  for (const { id, toAddress } of opened)
    expect(await payouts.withdrawal(id)).toMatchObject({
      status: 'completed',
      transactionHash: paid.find(({ to }) => to === toAddress)!.hash,
    })
  expect(await payouts.wallet()).toEqual({ nextNonce: 3, stoppedBecause: null })
  expect(await payouts.fees()).toBe('15')

  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.withdrawal(fresh.id)).toMatchObject({ status: 'completed' })
  expect(await payouts.transfers()).toHaveLength(4)
})

test('of two identical withdrawals a transfer completes the older one, and an unmatched transfer is listed', async () => {
  const payouts = await startPayouts()
  const wallet = makeAccount().address
  await payouts.tick()
  const older = await payouts.open({ toAddress: wallet, reviewReason: 'above_limit' })
  payouts.clock.advance(1)
  const newer = await payouts.open({ toAddress: wallet, reviewReason: 'above_limit' })
  const stranger = makeAccount().address.toLowerCase() as Address
  const strange = await payUnknown(payouts, stranger, '7')
  await payUnknown(payouts, wallet, '2995')
  await payouts.confirm()

  const lines = await refusalOf(payouts.reconcile())
  expect(lines[0]).toMatch(new RegExp(`^Nonce 0: 7 XCR to ${stranger} .* has no known cause`))
  expect(lines[1]).toContain(`has paid withdrawal ${older.id}`)
  expect(await payouts.withdrawal(newer.id)).toMatchObject({ status: 'manual_review' })

  await acknowledge(payouts, strange)
  expect((await payouts.reconcile()).at(-1)).toContain('Payouts resume')
  // A second run finds it settled.
  expect(await payouts.reconcile()).toEqual([expect.stringContaining('not stopped')])
})

test('a transfer that pays a withdrawal while an operator acknowledges it is not acknowledged', async () => {
  const payouts = await startPayouts()
  const stranger = makeAccount().address
  const { id } = await payouts.open({ toAddress: stranger })
  await payouts.tick()
  const hash = await payUnknown(payouts, stranger, '7')
  await payouts.confirm()
  const { answer } = await payouts.orm.em.fork().transactional(async (em) => {
    await lockWallet(em, payouts.account.address)
    const answer = acknowledge(payouts, hash).catch(String)
    await expect.poll(() => countLockWaits(payouts, 'payout_wallets')).toBe(1)
    await sql(em, `update withdrawals set status = 'completed', transaction_hash = $2, transfer_ordinal = 0 where id = $1`, [
      id,
      hash,
    ])
    return { answer }
  })
  expect(await answer).toContain('was explained meanwhile')
  expect(await payouts.orm.em.fork().count(AuditEntry, { action: 'payouts.acknowledge' })).toBe(0)
})

test('a transfer older than the request does not complete a withdrawal', async () => {
  const payouts = await startPayouts()
  const wallet = makeAccount().address
  await payouts.tick()
  await payUnknown(payouts, wallet, '2995')
  payouts.clock.advance(HOUR)
  const { id } = await payouts.open({ toAddress: wallet })
  await payouts.confirm()
  await refusalOf(payouts.reconcile())
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })
})

test('a withdrawal paid exactly at its nonce by unknown bytes is completed', async () => {
  const payouts = await startPayouts()
  const { id, toAddress } = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: (await payouts.payouts())[0]!.attempts[0]!.hash })
  const hash = await payUnknown(payouts, toAddress, '2995')
  await payouts.confirm()
  payouts.clock.advance(30 * SECOND)
  await payouts.tick()
  expect(await payouts.payouts()).toMatchObject([{ state: 'lost' }])

  await payouts.reconcile()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', transactionHash: hash })
  expect(await payouts.payouts()).toMatchObject([{ state: 'paid', final_hash: hash }])
  expect((await payouts.wallet()).stoppedBecause).toBeNull()
})

/** Lets an endpoint lie until the worker marks the payout as lost. */
async function markLost(payouts: Payouts, method: string, answer: unknown): Promise<void> {
  const rpc = await startFaultyRpc(payouts.chain.url)
  rpc.fail((call) => (call.method === method ? { rewrite: () => answer } : undefined))
  const worker = payouts.newWorker({ endpoints: [new RpcEndpoint(rpc.url, { chainId: payouts.chain.chainId })] })
  await payouts.chain.mine(payouts.confirmations)
  await worker.tick()
  payouts.clock.advance(30 * SECOND)
  await worker.tick()
  expect(await payouts.payouts()).toMatchObject([{ state: 'lost' }])
}

test('a withdrawal that our transaction paid while an endpoint hid it is completed, not refunded', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  const { hash } = (await payouts.payouts())[0]!.attempts[0]!
  await markLost(payouts, 'eth_getTransactionReceipt', null)

  await payouts.reconcile()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', transactionHash: hash })
  expect(await payouts.payouts()).toMatchObject([{ state: 'paid', final_hash: hash }])
  expect(await payouts.balance(user.id)).toBe('0')
  expect(await payouts.fees()).toBe('5')
  expect(await payouts.audit()).toEqual([])
})

test('a sweep that an endpoint hid is settled', async () => {
  const payouts = await startPayouts()
  await payouts.open()
  await payouts.tick()
  await payouts.tick()
  await payouts.confirm()
  await payouts.collectFees(makeAccount().address)
  await payouts.tick()
  await sql(payouts.orm.em.fork(), `update payouts set state = 'lost', settled_at = now() where withdrawal_id is null`)
  await sql(payouts.orm.em.fork(), `update payout_wallets set stopped_because = 'test', stopped_at = now()`)
  await payouts.chain.mine(payouts.confirmations)

  expect((await payouts.reconcile())[0]).toMatch(/has paid sweep \d{4}-\d\d-\d\d\.$/)
  expect((await payouts.payouts())[1]).toMatchObject({ state: 'paid' })
  expect(await payouts.audit()).toEqual([])
})

test('a payout is reopened if an endpoint wrongly reported its nonce as used', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: (await payouts.payouts())[0]!.attempts[0]!.hash })
  await markLost(payouts, 'eth_getTransactionCount', '0x1')

  expect((await payouts.reconcile())[0]).toContain('Nonce 0 is not used up after all')
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing', reviewReason: null })
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.wallet()).toEqual({ nextNonce: 1, stoppedBecause: null })
  expect(await payouts.transfers()).toHaveLength(1)
})

test('a payout whose withdrawal was refunded is not reopened, because it would be paid as well', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: (await payouts.payouts())[0]!.attempts[0]!.hash })
  await markLost(payouts, 'eth_getTransactionCount', '0x1')
  await payouts.orm.em.fork().transactional((em) => refundWithdrawal(em, payouts.services, { id }))

  await payouts.reconcile()
  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed' })
  expect(await payouts.transfers()).toEqual([])
})

test('the audit reports every unexplained transfer except the acknowledged ones', async () => {
  const payouts = await startPayouts()
  await payouts.open()
  await payouts.tick()
  await payouts.tick()
  await payouts.confirm()
  const first = await payUnknown(payouts, makeAccount().address, '7')
  const second = await payUnknown(payouts, makeAccount().address, '8')
  await payouts.confirm()
  expect(await payouts.audit()).toHaveLength(3)

  await acknowledge(payouts, first)
  await refusalOf(payouts.reconcile())
  expect(await payouts.audit()).toEqual([expect.stringContaining(second), expect.stringContaining('has sent 3 transactions')])
  await acknowledge(payouts, second)
  await payouts.reconcile()
  expect(await payouts.audit()).toEqual([])
  const [entry] = await sql<{ actor: string; target: string; after: unknown }>(
    payouts.orm.em.fork(),
    `select actor, target, after from audit_entries where action = 'payouts.reconcile' order by id desc limit 1`,
  )
  expect(entry).toMatchObject({ actor: 'operator:test', target: payouts.account.address, after: { from: 1, to: 3 } })

  await payUnknown(payouts, makeAccount().address, '9')
  await payouts.confirm()
  expect(await payouts.audit()).toEqual([
    expect.stringContaining('transfers 9 XCR from'),
    expect.stringContaining('has sent 4 transactions'),
  ])
})

test('a wallet whose key is no longer configured is reconciled too', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  const hash = await payUnknown(payouts, makeAccount().address, '1')
  await payouts.tick()
  const account = await createPayoutAccount({
    privateKey: generatePrivateKey(),
    chainId: payouts.chain.chainId,
    token: payouts.chain.token,
  })
  await payouts.chain.mine(payouts.confirmations)
  await payouts.newWorker({ account }).tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })

  await acknowledge(payouts, hash)
  expect(await payouts.reconcile()).toContainEqual(expect.stringContaining('Payouts resume'))
  expect(await arePayoutsStopped(payouts.orm.em.fork())).toBe(false)
})

test('reconciliation refuses while transactions are not final, or final and not settled', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  const hash = await payUnknown(payouts, makeAccount().address, '1')
  await payouts.tick()
  expect((await payouts.wallet()).stoppedBecause).not.toBeNull()
  await expect(payouts.reconcile()).rejects.toThrow(CannotReconcile)

  await payouts.chain.mine(payouts.confirmations)
  await expect(payouts.reconcile()).rejects.toThrow('not settled yet')
  expect((await payouts.wallet()).stoppedBecause).not.toBeNull()
  await payouts.tick()
  await acknowledge(payouts, hash)
  await payouts.reconcile()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.wallet()).toEqual({ nextNonce: 2, stoppedBecause: null })
})

test('the operator command reconciles payouts', async () => {
  const payouts = await startPayouts()
  const { id, toAddress } = await payouts.open({ reviewReason: 'above_limit' })
  await payouts.tick()
  await payUnknown(payouts, toAddress, '2995')
  await payouts.confirm()

  const { code, out } = await run(payouts, 'reconcile-payouts')
  expect(code).toBe(0)
  expect(out).toContain(`has paid withdrawal ${id}`)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

async function run({ services: { config }, database, privateKey }: Payouts, ...args: string[]) {
  const child = spawn(process.execPath, ['api/operations/commands/operator.ts', ...args], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: config.ENCRYPTION_KEY,
      SMTP_URL: config.SMTP_URL,
      BSC_RPC_URLS: config.BSC_RPC_URLS.join(','),
      DEPOSIT_ADDRESS: config.DEPOSIT_ADDRESS,
      XCR_RPC_URLS: config.XCR_RPC_URLS.join(','),
      XCR_TOKEN_ADDRESS: config.XCR_TOKEN_ADDRESS,
      XCR_CONFIRMATIONS: String(config.XCR_CONFIRMATIONS),
      PAYOUT_PRIVATE_KEY: privateKey,
      REGISTER: 'off',
      PUSH: 'off',
    },
  })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { out, code: code as number }
}

test('payouts stay stopped while endpoints disagree or one does not answer', async () => {
  const payouts = await startPayouts()
  const { services, chain, confirmations } = payouts
  const { id, toAddress } = await payouts.open({ amount: '3000', fee: '5' })
  await payUnknown(payouts, toAddress, '2995')
  await chain.mine(confirmations)
  await payouts.tick()
  expect(await payouts.wallet()).toMatchObject({ stoppedBecause: expect.any(String) })

  const rpc = await startFaultyRpc(chain.url)
  const [honest] = rewardEndpoints(services.config)
  const both = (endpoint: RpcEndpoint) => payouts.reconcile([endpoint, honest!])
  const hiding = new RpcEndpoint(rpc.url, { chainId: chain.chainId })
  rpc.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  await expect(both(hiding)).rejects.toThrow('do not agree on what the wallet has paid')
  rpc.fail(({ method }) => (method === 'eth_getTransactionCount' ? { rewrite: () => '0x0' } : undefined))
  await expect(both(hiding)).rejects.toThrow('do not agree on how many transactions the wallet has sent')
  const unreachable = new RpcEndpoint('http://127.0.0.1:9', { chainId: chain.chainId })
  await expect(both(unreachable)).rejects.toThrow('127.0.0.1:9 cannot be reached (127.0.0.1:9 did not answer). Try again')
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })

  rpc.heal()
  expect(await both(hiding)).toContainEqual(expect.stringContaining(`has paid withdrawal ${id}`))
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})
