import type { Address, Hash, Hex, PrivateKeyAccount, TransactionReceipt } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll } from 'vitest'
import { connectDevChain, type DevChainClient, PAYMENT_CHAIN_ID, REWARD_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { startChain } from '#api/dev/startChain.ts'
import { deployXcr, placeUsdt } from '#api/dev/tokens.ts'

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
  /** Sends tokens. Resolves when the transaction is mined, or with `manual` mining when it is pending. */
  transfer: (transfer: TokenTransfer) => Promise<Hash>
  balanceOf: (owner: Address) => Promise<bigint>
  receipt: (hash: Hash) => Promise<TransactionReceipt>
  /** Places a copy of the token at another address. */
  placeToken: (address: Address) => Promise<void>
  snapshot: () => Promise<Hex>
  revert: (snapshot: Hex) => Promise<void>
  stop: () => Promise<void>
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

export async function startPaymentChain({ mining = 'instant' }: TestChainOptions = {}): Promise<PaymentChain> {
  const chain = await startChain({ chainId: PAYMENT_CHAIN_ID, mining })
  const client = connectDevChain(chain.url, PAYMENT_CHAIN_ID)
  await placeUsdt(client, USDT_ADDRESS)
  const actions = tokenChain({ ...chain, client, token: USDT_ADDRESS, mining })
  return { ...actions, mintUsdt: actions.mint, transferUsdt: actions.transfer }
}

export async function startRewardChain({ mining = 'instant' }: TestChainOptions = {}): Promise<TestChain> {
  const chain = await startChain({ chainId: REWARD_CHAIN_ID, mining: 'instant' })
  const client = connectDevChain(chain.url, REWARD_CHAIN_ID)
  const token = await deployXcr(client, makeAccount())
  if (mining === 'manual') await client.setAutomine(false)
  return tokenChain({ ...chain, client, token, mining })
}

function useStarted<Started extends TestChain>(start: () => Promise<Started>): Started {
  const chain = {} as Started
  beforeAll(async () => void Object.assign(chain, await start()))
  afterAll(() => chain.stop?.())
  return chain
}

interface Parts {
  url: string
  client: DevChainClient
  token: Address
  mining: 'instant' | 'manual'
  stop: () => Promise<void>
}

function tokenChain({ url, client, token, mining, stop }: Parts): TestChain {
  const minter = makeAccount()
  const waitUnlessManual = async (hash: Hash): Promise<Hash> => {
    if (mining === 'instant') await client.waitForTransactionReceipt({ hash })
    return hash
  }
  const payFee = async (address: Address) => {
    if ((await client.getBalance({ address })) < 10n ** 17n) await client.setBalance({ address, value: 10n ** 18n })
  }
  return {
    url,
    chainId: client.chain.id,
    token,
    client,
    stop,
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
      return waitUnlessManual(
        await client.writeContract({
          account: from,
          address: token,
          abi: bep20Usdt.abi,
          functionName: 'transfer',
          args: [to, amount],
        }),
      )
    },
    balanceOf: (owner) => client.readContract({ address: token, abi: bep20Usdt.abi, functionName: 'balanceOf', args: [owner] }),
    receipt: (hash) => client.getTransactionReceipt({ hash }),
    placeToken: (address) => placeUsdt(client, address),
    snapshot: () => client.snapshot(),
    revert: (id) => client.revert({ id }),
  }
}
