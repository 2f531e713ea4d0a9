import type { Address, Hex, PrivateKeyAccount } from 'viem'
import { expect, test } from 'vitest'
import { endOtherSessions } from '#shared/contract/sessions.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { makeAccount, usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { type Buyer, logIn } from '#api/testing/people.ts'
import { placeContractWallet } from '#api/testing/placeContractWallet.ts'
import { startWithdrawals, type Withdrawals } from '#api/testing/withdrawals.ts'

const database = useDatabase()
const payments = usePaymentChain()
const rewards = useRewardChain()

const start = ({ payment = payments.url, reward = rewards.url } = {}) =>
  startWithdrawals(database, { env: { BSC_RPC_URLS: payment, XCR_RPC_URLS: reward, XCR_TOKEN_ADDRESS: rewards.token } })

const rowsOf = (holder: Buyer) => database.orm.em.fork().find(Withdrawal, { user: holder.user.id })
const invalid = { status: 400, code: 'withdrawal_message_invalid' }
const unavailable = { status: 503, code: 'chain_unavailable' }

/** A holder whose registered wallet is a contract, and the account that owns the contract. */
async function openContractHolder(
  withdrawals: Withdrawals,
  { on, ...options }: { on: readonly { client: typeof rewards.client }[]; proven?: boolean },
): Promise<{ holder: Buyer; owner: PrivateKeyAccount }> {
  const [wallet, owner] = [makeAccount(), makeAccount()]
  for (const chain of on) await placeContractWallet(chain, { at: wallet.address, owner: owner.address })
  return { holder: await withdrawals.openHolder({ wallet, ...options }), owner }
}

async function send(withdrawals: Withdrawals, holder: Buyer, by: PrivateKeyAccount) {
  await holder.grantMark()
  return withdrawals.send(holder, await withdrawals.sign(holder, '3000', { by }))
}

const isProven = async ({ browser, wallet }: Buyer) =>
  (await browser.call(updateWallet, { body: { walletAddress: wallet.address.toLowerCase() as Address } })).walletProven

test("a contract wallet on the reward chain withdraws by EIP-1271, and only with its owner's signature", async () => {
  const withdrawals = await start()
  const { holder, owner } = await openContractHolder(withdrawals, { on: [rewards] })

  await expect(send(withdrawals, holder, makeAccount())).rejects.toMatchObject(invalid)
  expect(await send(withdrawals, holder, owner)).toMatchObject({ status: 'pending' })
  expect(await rowsOf(holder)).toMatchObject([{ reviewReason: null }])
})

test('an EIP-1271 signature on the reward chain does not prove the same address on the payment chain', async () => {
  const withdrawals = await start()
  const { holder, owner } = await openContractHolder(withdrawals, { on: [rewards], proven: false })
  await placeContractWallet(payments, { at: holder.wallet.address, owner: makeAccount().address })

  expect(await send(withdrawals, holder, owner)).toMatchObject({ status: 'pending' })

  expect(await isProven(holder)).toBe(false)
})

test('with a contract on both chains, the one on the reward chain decides', async () => {
  const withdrawals = await start()
  const { holder, owner } = await openContractHolder(withdrawals, { on: [rewards] })
  const other = makeAccount()
  await placeContractWallet(payments, { at: holder.wallet.address, owner: other.address })

  await expect(send(withdrawals, holder, other)).rejects.toMatchObject(invalid)
  await send(withdrawals, holder, owner)
})

test('a contract wallet that exists only on the payment chain is verified there, and its withdrawal needs review', async () => {
  const withdrawals = await start()
  const { holder, owner } = await openContractHolder(withdrawals, { on: [payments], proven: false })

  await expect(send(withdrawals, holder, makeAccount())).rejects.toMatchObject(invalid)
  expect(await send(withdrawals, holder, owner)).toMatchObject({ status: 'manual_review' })

  expect(await rowsOf(holder)).toMatchObject([{ reviewReason: 'foreign_contract' }])
  expect(await isProven(holder)).toBe(true)
})

test("a key's signature for an address with code only on the payment chain needs review too", async () => {
  const withdrawals = await start()
  const [foreign, both] = [
    await openContractHolder(withdrawals, { on: [payments] }),
    await openContractHolder(withdrawals, { on: [payments, rewards] }),
  ]

  expect(await send(withdrawals, foreign.holder, foreign.holder.wallet)).toMatchObject({ status: 'manual_review' })
  expect(await send(withdrawals, both.holder, both.holder.wallet)).toMatchObject({ status: 'pending' })
})

test('an account that has delegated to code (EIP-7702) is an ordinary account where its key signed, on either chain', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder({ proven: false })
  const delegation: Hex = `0xef0100${makeAccount().address.slice(2)}`
  await payments.client.setCode({ address: holder.wallet.address, bytecode: delegation })

  expect(await send(withdrawals, holder, holder.wallet)).toMatchObject({ status: 'pending' })
  expect(await isProven(holder)).toBe(true)
  await expect(send(withdrawals, holder, makeAccount())).rejects.toMatchObject(invalid)

  await rewards.client.setCode({ address: holder.wallet.address, bytecode: delegation })
  await expect(send(withdrawals, holder, makeAccount())).rejects.toMatchObject(invalid)
  expect((await rowsOf(holder)).map(({ reviewReason }) => reviewReason)).toEqual([null])
})

test("a signature that only the code of a delegated account accepts counts as a contract's and needs review on the payment chain alone", async () => {
  const withdrawals = await start()
  const { holder, owner } = await openContractHolder(withdrawals, { on: [] })
  const wallet = makeAccount().address
  await placeContractWallet(payments, { at: wallet, owner: owner.address })
  await payments.client.setCode({ address: holder.wallet.address, bytecode: `0xef0100${wallet.slice(2)}` })

  await expect(send(withdrawals, holder, makeAccount())).rejects.toMatchObject(invalid)
  expect(await send(withdrawals, holder, owner)).toMatchObject({ status: 'manual_review' })
})

test('code that only starts like a delegation counts as a contract', async () => {
  const rpc = await startFaultyRpc(payments.url)
  const withdrawals = await start({ payment: rpc.url })
  const holder = await withdrawals.openHolder()
  rpc.fail(({ method }) => (method === 'eth_getCode' ? { rewrite: () => `0xef0100${'12'.repeat(21)}` } : undefined))

  expect(await send(withdrawals, holder, holder.wallet)).toMatchObject({ status: 'manual_review' })
})

test('a contract that reverts, returns its input or returns nothing rejects the signature', async () => {
  const withdrawals = await start()
  const { holder, owner } = await openContractHolder(withdrawals, { on: [rewards] })
  await holder.grantMark()
  const signed = await withdrawals.sign(holder, '3000', { by: owner })
  const send = (signature = signed.signature) => withdrawals.send(holder, { ...signed, signature })
  const replaceBy = (bytecode: Hex) => rewards.client.setCode({ address: holder.wallet.address, bytecode })

  await expect(send(`${signed.signature}00`)).rejects.toMatchObject(invalid)
  // Ends with the ERC-6492 suffix of an undeployed contract, without being such a signature.
  await expect(send(`0x12${'6492'.repeat(16)}`)).rejects.toMatchObject(invalid)
  // Returns its input; returns nothing; runs into an invalid opcode.
  for (const code of ['0x366000600037366000f3', '0x00', '0xfe'] as const) {
    await replaceBy(code)
    await expect(send()).rejects.toMatchObject(invalid)
  }
})

test('a request that waits for the chain while its owner ends its session is refused', async () => {
  const rpc = await startFaultyRpc(payments.url)
  const withdrawals = await start({ payment: rpc.url })
  const holder = await withdrawals.openHolder()
  const owner = withdrawals.server.openBrowser()
  await logIn(withdrawals.server, owner, holder.user)
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  rpc.fail(async ({ method }) => {
    if (method !== 'eth_getCode') return undefined
    asked.resolve()
    await released.promise
    return undefined
  })
  const answer = withdrawals.ask(holder, '3000').catch((error: unknown) => error)
  await asked.promise
  await owner.call(endOtherSessions, {})
  released.resolve()

  expect(await answer).toMatchObject({ status: 403, code: 'otp_required' })
  expect(await rowsOf(holder)).toEqual([])
})

test.each<[string, keyof Chains, (rpc: FaultyRpc) => void]>([
  ['the payment chain hangs up', 'payment', (rpc) => rpc.fail(() => 'drop')],
  [
    'the payment chain is another one',
    'payment',
    (rpc) => rpc.fail(({ method }) => (method === 'eth_chainId' ? { rewrite: () => '0x1' } : undefined)),
  ],
  ['the reward chain hangs up', 'reward', (rpc) => rpc.fail(() => 'drop')],
  [
    'the reward chain refuses',
    'reward',
    (rpc) =>
      rpc.fail(({ method }) => (method === 'eth_getCode' ? { error: { code: -32_005, message: 'limit exceeded' } } : undefined)),
  ],
  [
    'the reward chain falls silent when the contract is asked',
    'reward',
    (rpc) => rpc.fail(({ method, params }) => (method === 'eth_call' && isQuestionToWallet(params) ? 'drop' : undefined)),
  ],
  [
    'the reward chain has another token',
    'reward',
    (rpc) => rpc.fail(({ method }) => (method === 'eth_call' ? { rewrite: () => `0x${'6'.padStart(64, '0')}` } : undefined)),
  ],
])(
  'while %s a signature is not invalid: try again, nothing has changed, the code is good for the next try',
  async (_name, which, breakIt) => {
    const rpcs: Chains = { payment: await startFaultyRpc(payments.url), reward: await startFaultyRpc(rewards.url) }
    const withdrawals = await start({ payment: rpcs.payment.url, reward: rpcs.reward.url })
    const { holder, owner } = await openContractHolder(withdrawals, { on: [rewards] })
    await holder.grantMark()
    const signed = await withdrawals.sign(holder, '3000', { by: owner })
    breakIt(rpcs[which])

    await expect(withdrawals.send(holder, signed)).rejects.toMatchObject({
      ...unavailable,
      serverMessage: expect.stringContaining('try again'),
    })
    const answer = await post(withdrawals, holder, signed)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await rowsOf(holder)).toEqual([])

    rpcs[which].heal()
    expect(await withdrawals.send(holder, signed)).toMatchObject({ status: 'pending' })
  },
)

test('the withdrawal of an ordinary account needs the payment chain and not the reward chain', async () => {
  const nowhere = 'http://127.0.0.1:9'
  const [noReward, noPayment] = [await start({ reward: nowhere }), await start({ payment: nowhere })]
  const [paid, waiting] = [await noReward.openHolder(), await noPayment.openHolder()]

  expect(await send(noReward, paid, paid.wallet)).toMatchObject({ status: 'pending' })
  await expect(send(noPayment, waiting, waiting.wallet)).rejects.toMatchObject(unavailable)
  expect(await rowsOf(waiting)).toEqual([])
})

test('no chain is called for a request without a code or with an invalid message', async () => {
  const rpc = await startFaultyRpc(payments.url)
  const withdrawals = await start({ payment: rpc.url })
  const holder = await withdrawals.openHolder()
  const signed = await withdrawals.sign(holder, '3000')

  await expect(withdrawals.send(holder, signed)).rejects.toMatchObject({ code: 'otp_required' })
  await holder.grantMark()
  await expect(withdrawals.send(holder, { ...signed, signedMessage: 'hello' })).rejects.toMatchObject(invalid)

  expect(rpc.calls).toEqual([])
})

interface Chains {
  payment: FaultyRpc
  reward: FaultyRpc
}

/** A call without a recipient: the check of the wallet's signature, as opposed to the read of the token's decimals. */
const isQuestionToWallet = ([call]: unknown[]): boolean =>
  (call as { to?: string }).to?.toLowerCase() !== rewards.token.toLowerCase()

const post = ({ server }: Withdrawals, holder: Buyer, { amount: _amount, ...signed }: Awaited<ReturnType<Withdrawals['sign']>>) =>
  holder.browser.fetch(`${server.url}/api/xcr-withdrawal`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...signed, amount: '3000' }),
  })
