import { AsyncLocalStorage } from 'node:async_hooks'
import { encodeAbiParameters, keccak256, numberToHex, pad, toEventSelector, toHex } from 'viem'
import { expect, test } from 'vitest'
import { ONE_TOKEN } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { User } from '#api/entities/User.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { type FaultyRpc, startFaultyRpc, startStoppable } from '#api/testing/faultyRpc.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { attributeByHand } from './decideTransfer.ts'

/** Sets the payout wallet's token balance directly, so that the next transfers revert. */
const setBalance = (payouts: Payouts, xcr: bigint) =>
  payouts.chain.client.setStorageAt({
    address: payouts.chain.token,
    // `balanceOf` is the first variable of DevToken.sol.
    index: keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [payouts.account.address, 0n])),
    value: numberToHex(xcr * ONE_TOKEN, { size: 32 }),
  })

/** Sends a foreign transaction with the nonce of the first payout. */
async function useNonceElsewhere(payouts: Payouts): Promise<void> {
  const { hash } = await firstAttempt(payouts)
  await payouts.chain.client.dropTransaction({ hash })
  await payouts.chain.client.sendTransaction({ account: payouts.key, to: makeAccount().address, value: 1n, nonce: 0 })
}

const firstAttempt = async (payouts: Payouts) => (await payouts.payouts())[0]!.attempts[0]!

test('a payout that a reorganization removes and that is mined again is paid once', async () => {
  const payouts = await startPayouts()
  const { id, toAddress } = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(2)
  await payouts.tick()
  const { hash } = await firstAttempt(payouts)

  await payouts.chain.reorganize(2)
  await payouts.chain.mine(1)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  payouts.clock.advance(10 * SECOND)
  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', transactionHash: hash })
  expect(await payouts.transfers()).toEqual([{ to: toAddress, amount: '2995', hash }])
})

test("after a reorganization, confirmations count from the payout's new block", async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(2)
  const bytes = (await firstAttempt(payouts)).signed_bytes
  await payouts.chain.reorganize(2, [[bytes, 1]])
  await payouts.chain.mine(1)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  await payouts.chain.mine(1)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.transfers()).toHaveLength(1)
})

test('a replacement that is mined after a reorganization completes the withdrawal', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  payouts.clock.advance(60 * SECOND)
  await payouts.tick()
  const [first, second] = (await payouts.payouts())[0]!.attempts
  await payouts.chain.mine(1)
  expect((await payouts.transfers()).map(({ hash }) => hash)).toEqual([second!.hash])

  await payouts.chain.reorganize(1, [[first!.signed_bytes, 0]])
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', transactionHash: first!.hash })
  expect((await payouts.transfers()).map(({ hash }) => hash)).toEqual([first!.hash])
})

test('a receipt from a block that is no longer canonical settles nothing', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(payouts.confirmations)
  const rpc = await startFaultyRpc(payouts.chain.url)
  rpc.fail(({ method }) =>
    method === 'eth_getTransactionReceipt'
      ? { rewrite: (receipt: object) => ({ ...receipt, blockHash: `0x${'e'.repeat(64)}` }) }
      : undefined,
  )
  const worker = payouts.newWorker({ endpoints: [new RpcEndpoint(rpc.url, { chainId: payouts.chain.chainId })] })
  await worker.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  rpc.heal()
  await worker.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test('a payout is settled by an endpoint that spells hashes in capitals', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(payouts.confirmations)
  const rpc = await startFaultyRpc(payouts.chain.url)
  rpc.fail(({ method }) =>
    method === 'eth_getTransactionReceipt'
      ? {
          rewrite: (receipt: { blockHash: string }) => ({
            ...receipt,
            blockHash: `0x${receipt.blockHash.slice(2).toUpperCase()}`,
          }),
        }
      : undefined,
  )
  await payouts.newWorker({ endpoints: [new RpcEndpoint(rpc.url, { chainId: payouts.chain.chainId })] }).tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test('a refunded payment whose failure a deep reorganization removes is not paid after all, and later ones are', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  await setBalance(payouts, 0n)
  await payouts.chain.mine(payouts.confirmations)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed' })
  const refunded = await payouts.balance(user.id)

  await payouts.chain.reorganize(payouts.confirmations + 1)
  await setBalance(payouts, 1_000_000n)
  // Nodes keep what was mined in the blocks that are gone, and mine it again.
  await payouts.chain.client.sendRawTransaction({ serializedTransaction: (await firstAttempt(payouts)).signed_bytes })
  const later = await payouts.open()
  await payouts.tick()
  await payouts.confirm()
  await payouts.confirm()

  expect((await payouts.transfers()).map(({ to }) => to)).toEqual([later.toAddress])
  expect(await payouts.withdrawal(later.id)).toMatchObject({ status: 'completed' })
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed' })
  expect(await payouts.balance(user.id)).toBe(refunded)
  expect(await payouts.audit()).toEqual([])
})

test('a refunded payment that is mined again before it can be cancelled is booked by an operator', async () => {
  const payouts = await startPayouts()
  const { id, user, toAddress } = await payouts.open()
  await payouts.tick()
  await setBalance(payouts, 0n)
  await payouts.chain.mine(payouts.confirmations)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed' })
  const { hash, signed_bytes: serializedTransaction } = await firstAttempt(payouts)
  await payouts.chain.reorganize(payouts.confirmations + 1)
  await setBalance(payouts, 1_000_000n)
  await payouts.chain.client.sendRawTransaction({ serializedTransaction })
  await payouts.chain.mine(payouts.confirmations + 1)
  await payouts.tick()
  expect((await payouts.transfers()).map(({ to }) => to)).toEqual([toAddress])
  expect(await payouts.audit()).toHaveLength(1)

  const { services } = payouts
  const { email } = await payouts.orm.em.fork().findOneOrFail(User, user.id)
  const decision = { endpoints: rewardEndpoints(services.config), hash, reason: 'Mined again.', actor: 'operator:test', email }
  expect(await attributeByHand(services, decision)).toEqual([expect.stringContaining('is booked as withdrawal')])

  expect(await payouts.audit()).toEqual([])
})

test('a payout that reverts is refunded once, when the revert is final', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  await setBalance(payouts, 0n)
  await payouts.chain.mine(2)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing', refundedAt: null })

  await payouts.chain.mine(1)
  await payouts.tick()
  await payouts.tick()

  const { hash } = await firstAttempt(payouts)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed', refundedAt: expect.any(Date), transactionHash: hash })
  expect(await payouts.payouts()).toMatchObject([{ state: 'reverted', final_hash: hash }])
  expect(await payouts.balance(user.id)).toBe('3000')
  expect(await payouts.fees()).toBe('0')
  const mails = await mailsTo(payouts.database, `${user.id}@example.com`)
  expect(mails).toMatchObject([{ text: expect.stringContaining('3,000 XCR, is back') }])

  // The nonce is used; the next withdrawal takes the following one.
  await setBalance(payouts, 5_000n)
  await payouts.chain.mine(payouts.confirmations)
  const next = await payouts.open()
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.withdrawal(next.id)).toMatchObject({ status: 'completed' })
  expect((await payouts.payouts()).map(({ nonce, state }) => [nonce, state])).toEqual([
    [0, 'reverted'],
    [1, 'paid'],
  ])
})

/** Starts with twenty final payouts, of which the wallet can pay eighteen. */
async function startMany() {
  let rpc: FaultyRpc | undefined
  const payouts = await startPayouts({ rpcUrls: async (chain) => [(rpc = await startFaultyRpc(chain.url)).url] })
  for (let opened = 0; opened < 20; opened += 1) await payouts.open()
  await payouts.tick()
  await setBalance(payouts, 18n * 2_995n)
  await payouts.chain.mine(payouts.confirmations)
  return {
    payouts,
    rpc: rpc!,
    receiptsRead: () => rpc!.calls.filter(({ method }) => method === 'eth_getTransactionReceipt').length,
  }
}

const settled = { paid: 18, reverted: 2 }
const statesOf = async (payouts: Payouts) =>
  Object.fromEntries(
    [...Map.groupBy(await payouts.payouts(), ({ state }) => state)].map(([state, rows]) => [state, rows.length] as const),
  )

test("many payouts are settled by their blocks' transfers, and those without a transfer by their receipts", async () => {
  const { payouts, receiptsRead } = await startMany()
  await payouts.tick()
  expect(await statesOf(payouts)).toEqual(settled)
  // The two that paid nothing are read once more, for two hosts to agree.
  expect(receiptsRead()).toBe(4)
  const paid = (await payouts.payouts()).filter(({ state }) => state === 'paid').map(({ final_hash }) => final_hash)
  expect(paid).toEqual((await payouts.transfers()).map(({ hash }) => hash))
})

test('transfers in a block that is no longer canonical settle nothing', async () => {
  const { payouts, rpc } = await startMany()
  rpc.fail(({ method }) =>
    method === 'eth_getLogs'
      ? { rewrite: (logs: object[]) => logs.map((log) => ({ ...log, blockHash: `0x${'e'.repeat(64)}` })) }
      : undefined,
  )
  await payouts.tick()
  expect(await statesOf(payouts)).toEqual({ sent: 18, reverted: 2 })
  rpc.heal()
  await payouts.tick()
  expect(await statesOf(payouts)).toEqual(settled)
})

test('if the endpoint refuses transfers over a range of blocks, each receipt is read', async () => {
  const { payouts, rpc, receiptsRead } = await startMany()
  rpc.fail(({ method }) => (method === 'eth_getLogs' ? { error: { code: -32_005, message: 'limit exceeded' } } : undefined))
  await payouts.tick()
  expect(await statesOf(payouts)).toEqual(settled)
  expect(receiptsRead()).toBe(22)
})

const rewriteReceipts = (rpc: FaultyRpc, change: (receipt: object) => object) =>
  rpc.fail(({ method }) =>
    method === 'eth_getTransactionReceipt' ? { rewrite: (receipt: object | null) => receipt && change(receipt) } : undefined,
  )

test('a receipt without a status is not a failure and refunds nothing', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  const rpc = await startFaultyRpc(payouts.chain.url)
  rewriteReceipts(rpc, (receipt) => ({ ...receipt, status: null }))
  const worker = payouts.newWorker({ endpoints: [new RpcEndpoint(rpc.url, { chainId: payouts.chain.chainId })] })
  await payouts.chain.mine(payouts.confirmations)
  await expect(worker.tick()).rejects.toThrow('without a status')
  expect(await payouts.balance(user.id)).toBe('0')
  rpc.heal()
  await worker.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test('a payout that one endpoint shows as failed and another as paid is not refunded, and the operator is alerted', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  const rpc = await startFaultyRpc(payouts.chain.url)
  rewriteReceipts(rpc, (receipt) => ({ ...receipt, status: '0x0', logs: [] }))
  const endpoints = [rpc.url, payouts.chain.url].map((url) => new RpcEndpoint(url, { chainId: payouts.chain.chainId }))
  const worker = payouts.newWorker({ endpoints })
  await payouts.chain.mine(payouts.confirmations)
  await worker.tick()
  await worker.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  expect(await payouts.balance(user.id)).toBe('0')
  expect(payouts.alerts).toEqual([expect.stringContaining('The endpoints of the reward chain disagree')])
  rpc.heal()
  await worker.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test.each([
  ['failed', 'has no receipt of it', 'One endpoint of the reward chain says that withdrawal:'],
  ['failed', 'does not answer', 'One endpoint of the reward chain says that withdrawal:'],
  ['paid', 'has no receipt of it', 'One endpoint of the reward chain alone shows payouts as paid: 1.'],
  ['paid', 'does not answer', 'One endpoint of the reward chain alone shows payouts as paid: 1.'],
])(
  'a payout that one endpoint alone shows as %s, while the other %s, is not settled until both show it, and paid once',
  async (state, what, alert) => {
    const payouts = await startPayouts()
    const { id, user } = await payouts.open()
    await payouts.tick()
    // The first endpoint keeps the payment back.
    const { hash } = await firstAttempt(payouts)
    await payouts.chain.client.dropTransaction({ hash })
    await payouts.chain.mine(payouts.confirmations)
    const block = await payouts.chain.client.getBlock({ blockNumber: 1n })
    const [lying, other] = [await startFaultyRpc(payouts.chain.url), await startFaultyRpc(payouts.chain.url)]
    const { toAddress, amount, fee } = await payouts.withdrawal(id)
    const transfer = {
      address: payouts.chain.token,
      topics: [toEventSelector('Transfer(address,address,uint256)'), pad(payouts.account.address), pad(toAddress)],
      data: toHex(amount - fee, { size: 32 }),
      logIndex: '0x0',
    }
    const result = state === 'paid' ? { status: '0x1', logs: [transfer] } : { status: '0x0', logs: [] }
    const forged = { transactionHash: hash, blockNumber: '0x1', blockHash: block.hash, ...result }
    lying.fail(({ method, params }) => {
      if (method === 'eth_getTransactionCount') return { rewrite: () => '0x1' }
      return method === 'eth_getTransactionReceipt' && params[0] === hash ? { rewrite: () => forged } : undefined
    })
    if (what === 'does not answer') other.fail(() => 'drop')
    const endpoints = [lying.url, other.url].map((url) => new RpcEndpoint(url, { chainId: payouts.chain.chainId }))
    const worker = payouts.newWorker({ endpoints })
    for (let look = 0; look < 3; look += 1) {
      await worker.tick()
      payouts.clock.advance(30 * SECOND)
    }
    expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
    expect(await payouts.balance(user.id)).toBe('0')
    expect(payouts.alerts.filter((text) => text.startsWith(alert))).toHaveLength(1)

    lying.heal()
    other.heal()
    await worker.tick()
    await payouts.chain.mine(payouts.confirmations)
    await worker.tick()
    expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
    expect(await payouts.balance(user.id)).toBe('0')
  },
)

test("a reverted payout whose owner's account is locked does not delay the other refunds", async () => {
  const payouts = await startPayouts()
  const [first, busy] = [await payouts.open(), await payouts.open()]
  await giveXcr(payouts.orm, busy.user.id, '3000')
  await payouts.tick()
  await setBalance(payouts, 0n)
  await payouts.chain.mine(payouts.confirmations)

  const outside = AsyncLocalStorage.snapshot()
  let settling: Promise<void> | undefined
  await payouts.orm.em.fork().transactional(async (em) => {
    await sql(em, 'select from accounts where id = $1 for update', [busy.user.id])
    settling = outside(() => payouts.tick())
    await outside(() => untilLockWaits(payouts))
    expect(await outside(() => payouts.balance(first.user.id))).toBe('3000')
    // Like this owner's next withdrawal, which would deadlock with refunds in one transaction.
    await sql(em, `set local lock_timeout = '10s'`)
    await sql(em, 'select from accounts where id = $1 for update', [houseAccounts.payouts])
  })
  await settling
  expect(await payouts.balance(busy.user.id)).toBe('6000')
  expect(payouts.alerts).toEqual([])
})

test('a successful transaction without the signed transfer completes nothing and goes to manual review', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  // Returns true and does nothing.
  await payouts.chain.client.setCode({ address: payouts.chain.token, bytecode: '0x600160005260206000f3' })
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'manual_review', reviewReason: 'unknown_outcome' })
  expect(await payouts.balance(user.id)).toBe('0')
  expect((await payouts.wallet()).stoppedBecause).toContain('did not make the transfer it was signed for')
  expect(payouts.alerts).toHaveLength(1)
})

test('a nonce that a foreign transaction used stops payouts, refunds nothing and goes to manual review', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  await useNonceElsewhere(payouts)
  await payouts.confirm()
  await payouts.tick()
  // A receipt that is not available yet proves nothing.
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })

  payouts.clock.advance(30 * SECOND)
  await payouts.tick()
  await payouts.tick()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'manual_review', reviewReason: 'unknown_outcome' })
  expect(await payouts.payouts()).toMatchObject([{ state: 'lost', final_hash: null }])
  expect(await payouts.balance(user.id)).toBe('0')
  expect((await payouts.wallet()).stoppedBecause).toContain('Nonce 0')
  expect(payouts.alerts).toEqual([expect.stringContaining('Nonce 0')])
  await payouts.open()
  await payouts.tick()
  expect(await payouts.payouts()).toHaveLength(1)
})

test.each([1, 3])(
  '%i payouts whose receipts only one of three endpoints lacks are not lost, and are settled by the others',
  async (count) => {
    const payouts = await startPayouts({
      rpcUrls: async (chain) => {
        const forgetful = await startFaultyRpc(chain.url)
        forgetful.fail(({ method }) => (method === 'eth_getTransactionReceipt' ? { rewrite: () => null } : undefined))
        return [forgetful.url, chain.url, (await startFaultyRpc(chain.url)).url]
      },
    })
    const opened = []
    while (opened.length < count) opened.push(await payouts.open())
    await payouts.tick()
    for (let look = 0; look < 4; look += 1) {
      await payouts.confirm()
      payouts.clock.advance(30 * SECOND)
    }
    for (const { id } of opened) expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
    expect((await payouts.wallet()).stoppedBecause).toBeNull()
  },
)

test('a payout is settled although the first of three endpoints has stopped at an earlier block', async () => {
  const frozen = { at: undefined as bigint | undefined }
  const payouts = await startPayouts({
    rpcUrls: async (chain) => [await startStoppable(chain.url, frozen), chain.url, (await startFaultyRpc(chain.url)).url],
  })
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(1)
  frozen.at = await payouts.chain.client.getBlockNumber()
  for (let look = 0; look < 4; look += 1) {
    await payouts.confirm()
    payouts.clock.advance(30 * SECOND)
  }
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

/** With an endpoint that has the state of the newest block only. */
const startPruned = () =>
  startPayouts({
    rpcUrls: async (chain) => {
      const pruned = await startFaultyRpc(chain.url)
      pruned.fail(async ({ method, params }) => {
        if (method !== 'eth_getTransactionCount' || !String(params[1]).startsWith('0x')) return undefined
        const isNewest = BigInt(String(params[1])) === (await chain.client.getBlockNumber())
        return isNewest ? undefined : { error: { code: -32000, message: 'missing trie node' } }
      })
      return [pruned.url]
    },
  })

test('with an endpoint that prunes old state, a nonce that a foreign transaction used stops payouts', async () => {
  const payouts = await startPruned()
  const { id } = await payouts.open()
  await payouts.tick()
  await useNonceElsewhere(payouts)
  await payouts.chain.mine(1)
  await payouts.tick()
  payouts.clock.advance(30 * SECOND)
  await payouts.tick()
  // Used, but not for as many blocks as a payment needs.
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  await payouts.chain.mine(payouts.confirmations)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'manual_review', reviewReason: 'unknown_outcome' })
  expect((await payouts.wallet()).stoppedBecause).toContain('Nonce 0')
})

test('with an endpoint that prunes old state, payouts are settled by receipts alone', async () => {
  const payouts = await startPruned()
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(2)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  await payouts.chain.mine(1)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test('a payout that cannot be settled does not block the others', async () => {
  const payouts = await startPayouts({ env: { ALERT_EMAIL: 'operator@example.com' } })
  const [bad, good] = [await payouts.open(), await payouts.open()]
  await payouts.tick()
  // Simulates a corrupted row.
  await sql(payouts.orm.em.fork(), `update withdrawals set status = 'failed', refunded_at = now() where id = $1`, [bad.id])
  await payouts.confirm()
  expect(await payouts.withdrawal(good.id)).toMatchObject({ status: 'completed' })
  expect(payouts.alerts).toEqual([expect.stringContaining(`withdrawal:${bad.id}`)])
})

test('a withdrawal that was closed otherwise is not refunded by a revert', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  await setBalance(payouts, 0n)
  // Simulates a corrupted row.
  await sql(
    payouts.orm.em.fork(),
    `update withdrawals set status = 'completed', completed_at = now(), transfer_ordinal = 0 where id = $1`,
    [id],
  )
  await payouts.confirm()
  expect(await payouts.balance(user.id)).toBe('0')
  expect(payouts.alerts).toEqual([expect.stringContaining(`withdrawal:${id}`)])
})
