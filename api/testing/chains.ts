import type { Address, Hash, Hex, HttpTransport, PrivateKeyAccount, TransactionReceipt } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll } from 'vitest'
import {
  connectDevChain,
  type DevChainClient,
  devChainTransport,
  PAYMENT_CHAIN_ID,
  REWARD_CHAIN_ID,
} from '#api/dev/connectDevChain.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { startChain } from '#api/dev/startChain.ts'
import { deployXcr, placeUsdt } from '#api/dev/tokens.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'

/** The address of USDT on BNB Smart Chain. The test chain has its own USDT there. */
export const USDT_ADDRESS: Address = '0x55d398326f99059ff775485246999027b3197955'

interface TestChainOptions {
  /** `instant` (default) mines a block for each transaction; `manual` leaves transactions pending until `mine`. */
  mining?: 'instant' | 'manual'
}

interface TokenTransfer {
  /** The sender. It receives coins for the gas fee if it has none. */
  from: PrivateKeyAccount
  to: Address
  amount: bigint
}

export interface TestChain {
  url: string
  chainId: number
  token: Address
  client: DevChainClient
  mine: (blocks?: number) => Promise<void>
  /** Mines one block with this time. */
  mineAt: (time: Date) => Promise<void>
  /**
   * Replaces the last `depth` blocks with empty ones, which removes their transactions.
   *
   * @param keep signed transactions to mine again, each with the index of its new block (0 is the first).
   */
  reorganize: (depth: number, keep?: readonly (readonly [signed: Hex, block: number])[]) => Promise<void>
  /** Returns the signed bytes of a transaction on the chain, to mine it again after a reorganization. */
  signedBytes: (hash: Hash) => Promise<Hex>
  mint: (to: Address, amount: bigint) => Promise<void>
  /** Sends tokens. Resolves when the transaction is mined, or with `manual` mining when it is pending, as all of `client` that send one. */
  transfer: (transfer: TokenTransfer) => Promise<Hash>
  balanceOf: (owner: Address) => Promise<bigint>
  receipt: (hash: Hash) => Promise<TransactionReceipt>
  /** Places a copy of the token at another address. */
  placeToken: (address: Address) => Promise<void>
  snapshot: () => Promise<Hex>
  revert: (snapshot: Hex) => Promise<void>
  /** Ends it: nothing answers at its address any more. */
  stop: () => Promise<void>
  /** Leaves it to a later test, with its first blocks only, or ends it if that fails. */
  release: () => Promise<void>
}

export interface PaymentChain extends TestChain {
  mintUsdt: TestChain['mint']
  transferUsdt: TestChain['transfer']
}

/** A payment chain for one test file: chain id 56, USDT at its mainnet address. It is started before the first test. */
export function usePaymentChain(options: TestChainOptions = {}): PaymentChain {
  return useStarted(() => startPaymentChain(options))
}

/** A reward chain for one test file, with the XCR token deployed. It is started before the first test. */
export function useRewardChain(options: TestChainOptions = {}): TestChain {
  return useStarted(() => startRewardChain(options))
}

/** A new account with a random key. */
export const makeAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** Starts a payment chain. One that an earlier test of this process has released serves again, because a start takes longer than most tests. */
export async function startPaymentChain({ mining = 'instant' }: TestChainOptions = {}): Promise<PaymentChain> {
  const place = async (client: DevChainClient) => {
    await placeUsdt(client, USDT_ADDRESS)
    return USDT_ADDRESS
  }
  const actions = await lend((await takeUnused(unused.payments)) ?? (await openChain(PAYMENT_CHAIN_ID, place)), {
    mining,
    returnTo: unused.payments,
  })
  return { ...actions, mintUsdt: actions.mint, transferUsdt: actions.transfer }
}

/** Starts a reward chain as `startPaymentChain` does, with the XCR token deployed. */
export async function startRewardChain({ mining = 'instant' }: TestChainOptions = {}): Promise<TestChain> {
  const deploy = (client: DevChainClient) => deployXcr(client, makeAccount())
  return lend((await takeUnused(unused.rewards)) ?? (await openChain(REWARD_CHAIN_ID, deploy)), {
    mining,
    returnTo: unused.rewards,
  })
}

/** A chain that tests use one after another. */
interface OpenedChain {
  url: string
  client: DevChainClient
  token: Address
  /** The last of its first blocks, to which every test returns it. */
  head: Hash
  openedAt: number
  /** Of the block after them. A snapshot does not contain it. */
  baseFeePerGas: bigint
  snapshot: Hex
  end: () => Promise<void>
}

/** The chains of this process that no test uses. */
const unused = { payments: [] as OpenedChain[], rewards: [] as OpenedChain[] }

/** Where no block follows, the product tells of blocks that are ten minutes old. */
const MAX_AGE = 5 * MINUTE

async function takeUnused(chains: OpenedChain[]): Promise<OpenedChain | undefined> {
  for (let chain = chains.pop(); chain; chain = chains.pop()) {
    if (Date.now() - chain.openedAt <= MAX_AGE) {
      // The blocks that follow begin now, not at the time of the snapshot. Not set before: the test that released it may have had a fake time.
      await chain.client.request<{ Method: 'evm_setTime'; Parameters: number[]; ReturnType: number }>({
        method: 'evm_setTime',
        params: [Math.floor(Date.now() / SECOND)],
      })
      return chain
    }
    await chain.end()
  }
  return undefined
}

async function openChain(chainId: number, deploy: (client: DevChainClient) => Promise<Address>): Promise<OpenedChain> {
  const openedAt = Date.now()
  const { url, stop: end } = await startChain({ chainId, mining: 'instant' })
  const client = connectDevChain(url, chainId, waitingForBlocks(devChainTransport(url)))
  const token = await deploy(client)
  const { hash: head } = await client.getBlock()
  const baseFeePerGas = (await client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })).baseFeePerGas.at(-1)!
  return { url, client, token, head, openedAt, baseFeePerGas, snapshot: await client.snapshot(), end }
}

/** With `instant` mining the node answers a sent transaction before its block exists. This answers once it is mined, if it can be. */
const waitingForBlocks =
  (connect: HttpTransport): HttpTransport =>
  (options) => {
    const transport = connect(options)
    const isMined = async (hash: Hash): Promise<boolean> => {
      if (await transport.request({ method: 'eth_getTransactionReceipt', params: [hash] })) return true
      if (!(await transport.request({ method: 'anvil_getAutomine' }))) return true
      // One whose nonce is too high is not pending.
      const { pending } = (await transport.request({ method: 'txpool_status' })) as { pending: Hex }
      return BigInt(pending) === 0n
    }
    const request: typeof transport.request = async (call) => {
      const answer = await transport.request(call)
      if ((call as { method: string }).method === 'eth_sendRawTransaction') while (!(await isMined(answer as Hash)));
      return answer as never
    }
    return { ...transport, request }
  }

/** Returns a chain to its first blocks. */
async function renew(opened: OpenedChain): Promise<OpenedChain> {
  const { client, head, baseFeePerGas, snapshot } = opened
  await client.request<{ Method: 'anvil_dropAllTransactions'; Parameters?: undefined; ReturnType: null }>({
    method: 'anvil_dropAllTransactions',
  })
  await client.setAutomine(true)
  await client.revert({ id: snapshot })
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas })
  if ((await client.getBlock()).hash !== head) throw new Error('The chain has not returned to its first blocks.')
  return { ...opened, snapshot: await client.snapshot() }
}

/** Gives a chain to a test. */
async function lend(
  opened: OpenedChain,
  { mining, returnTo }: { mining: 'instant' | 'manual'; returnTo: OpenedChain[] },
): Promise<TestChain> {
  if (mining === 'manual') await opened.client.setAutomine(false)
  let ended: Promise<void> | undefined
  const stop = () => (ended ??= opened.end())
  return {
    ...tokenChain({ ...opened, mining }),
    stop,
    release: () =>
      (ended ??= renew(opened).then(
        (renewed) => void returnTo.push(renewed),
        () => opened.end(),
      )),
  }
}

function useStarted<Started extends TestChain>(start: () => Promise<Started>): Started {
  const chain = {} as Started
  beforeAll(async () => void Object.assign(chain, await start()))
  afterAll(() => chain.release?.())
  return chain
}

interface Parts {
  url: string
  client: DevChainClient
  token: Address
  mining: 'instant' | 'manual'
}

function tokenChain({ url, client, token, mining }: Parts): Omit<TestChain, 'stop' | 'release'> {
  const minter = makeAccount()
  const payFee = async (address: Address) => {
    if ((await client.getBalance({ address })) < 10n ** 17n) await client.setBalance({ address, value: 10n ** 18n })
  }
  return {
    url,
    chainId: client.chain.id,
    token,
    client,
    mine: (blocks = 1) => client.mine({ blocks }),
    async mineAt(time) {
      await client.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(time.getTime() / 1_000)) })
      await client.mine({ blocks: 1 })
    },
    async reorganize(depth, keep = []) {
      await client.request<{ Method: 'anvil_reorg'; Parameters: unknown[]; ReturnType: null }>({
        method: 'anvil_reorg',
        params: [depth, keep],
      })
    },
    async signedBytes(hash) {
      const signed = await client.request<{ Method: string; Parameters: Hash[]; ReturnType: Hex | null }>({
        method: 'eth_getRawTransactionByHash',
        params: [hash],
      })
      if (!signed) throw new Error(`${hash} is not on the chain.`)
      return signed
    },
    async mint(to, amount) {
      await payFee(minter.address)
      const hash = await client.writeContract({
        account: minter,
        address: token,
        abi: bep20Usdt.abi,
        functionName: 'mint',
        args: [to, amount],
      })
      if (mining === 'manual') await client.mine({ blocks: 1 })
      await client.waitForTransactionReceipt({ hash })
    },
    async transfer({ from, to, amount }) {
      await payFee(from.address)
      return client.writeContract({
        account: from,
        address: token,
        abi: bep20Usdt.abi,
        functionName: 'transfer',
        args: [to, amount],
      })
    },
    balanceOf: (owner) => client.readContract({ address: token, abi: bep20Usdt.abi, functionName: 'balanceOf', args: [owner] }),
    receipt: (hash) => client.getTransactionReceipt({ hash }),
    placeToken: (address) => placeUsdt(client, address),
    snapshot: () => client.snapshot(),
    revert: (id) => client.revert({ id }),
  }
}
