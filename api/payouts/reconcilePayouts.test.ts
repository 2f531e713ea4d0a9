import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Address, Hash } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { HOUR, SECOND } from '#shared/dates.ts'
import { rewardEndpoints } from '../createServices.ts'
import { sql } from '../db/sql.ts'
import { makeAccount } from '../testing/chains.ts'
import { type Payouts, startPayouts } from '../testing/payouts.ts'
import { CannotReconcile, reconcilePayouts } from './reconcilePayouts.ts'

const reconcile = ({ services, account }: Payouts) =>
  reconcilePayouts(services, { endpoint: rewardEndpoints(services.config)[0]!, address: account.address })

/** The payout wallet pays without us knowing: its key is used elsewhere, or our memory of it is gone. */
async function payUnknown(payouts: Payouts, to: Address, xcr: string): Promise<Hash> {
  const hash = await payouts.chain.transfer({ from: payouts.key, to, amount: parseAmount(xcr)! })
  await payouts.mineLater()
  return hash
}

/** As after a restored backup: what is newer than it is gone. */
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

test('after a backup was restored, what the wallet has paid since is attached, and nothing is paid again', async () => {
  const payouts = await startPayouts()
  const opened = [await payouts.open(), await payouts.open(), await payouts.open()]
  await payouts.tick()
  // Later than they were asked for, by the chain's time too.
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
  const lines = await reconcile(payouts)

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

test('of two alike the older one is paid by a transfer, and one that pays nobody is listed', async () => {
  const payouts = await startPayouts()
  const wallet = makeAccount().address
  await payouts.tick()
  const older = await payouts.open({ toAddress: wallet, reviewReason: 'above_limit' })
  payouts.clock.advance(1)
  const newer = await payouts.open({ toAddress: wallet, reviewReason: 'above_limit' })
  const stranger = makeAccount().address.toLowerCase() as Address
  await payUnknown(payouts, stranger, '7')
  await payUnknown(payouts, wallet, '2995')
  await payouts.confirm()

  const lines = await reconcile(payouts)
  expect(lines[0]).toMatch(new RegExp(`^Nonce 0: 7 XCR to ${stranger} .* pays nothing that we know of`))
  expect(lines[1]).toContain(`has paid withdrawal ${older.id}`)
  expect(await payouts.withdrawal(newer.id)).toMatchObject({ status: 'manual_review' })

  // A second look finds it settled.
  expect(await reconcile(payouts)).toEqual([expect.stringContaining('not stopped')])
})

test('a transfer from before a withdrawal was asked for does not pay it', async () => {
  const payouts = await startPayouts()
  const wallet = makeAccount().address
  await payouts.tick()
  await payUnknown(payouts, wallet, '2995')
  payouts.clock.advance(HOUR)
  const { id } = await payouts.open({ toAddress: wallet })
  await payouts.confirm()
  await reconcile(payouts)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })
})

test('a withdrawal whose nonce paid it to the letter by bytes that we do not have is completed by them', async () => {
  const payouts = await startPayouts()
  const { id, toAddress } = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: (await payouts.payouts())[0]!.attempts[0]!.hash })
  const hash = await payUnknown(payouts, toAddress, '2995')
  await payouts.confirm()
  payouts.clock.advance(30 * SECOND)
  await payouts.tick()
  expect(await payouts.payouts()).toMatchObject([{ state: 'lost' }])

  await reconcile(payouts)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', transactionHash: hash })
  expect(await payouts.payouts()).toMatchObject([{ state: 'paid', final_hash: hash }])
  expect((await payouts.wallet()).stoppedBecause).toBeNull()
})

test('what is not final yet, or mined and not settled, is not reconciled', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  await payUnknown(payouts, makeAccount().address, '1')
  await payouts.tick()
  expect((await payouts.wallet()).stoppedBecause).not.toBeNull()
  await expect(reconcile(payouts)).rejects.toThrow(CannotReconcile)

  await payouts.chain.mine(payouts.confirmations)
  await expect(reconcile(payouts)).rejects.toThrow('not settled yet')
  expect((await payouts.wallet()).stoppedBecause).not.toBeNull()
  await payouts.tick()
  await reconcile(payouts)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.wallet()).toEqual({ nextNonce: 2, stoppedBecause: null })
})

test('the operator reconciles with a command, which explains itself otherwise', async () => {
  const payouts = await startPayouts()
  const { id, toAddress } = await payouts.open({ reviewReason: 'above_limit' })
  await payouts.tick()
  await payUnknown(payouts, toAddress, '2995')
  await payouts.confirm()

  expect(await run(payouts)).toMatchObject({ code: 2, err: expect.stringContaining('reconcile-payouts') })
  expect(await run(payouts, 'reconcile-payout')).toMatchObject({ code: 2 })
  const { code, out } = await run(payouts, 'reconcile-payouts')
  expect(code).toBe(0)
  expect(out).toContain(`has paid withdrawal ${id}`)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

async function run({ services: { config }, database, privateKey }: Payouts, ...args: string[]) {
  const child = spawn(process.execPath, ['api/admin/operator.ts', ...args], {
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
    },
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, code: code as number }
}
