import path from 'node:path'
import { type Address, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Environment } from '#api/platform/config.ts'
import { connectDevChain, PAYMENT_CHAIN_ID, REWARD_CHAIN_ID } from './connectDevChain.ts'
import { registerAnchor } from './contracts/generated/registerAnchor.ts'
import { xcrToken } from './contracts/generated/xcrToken.ts'
import { deployOnce } from './deployOnce.ts'
import type { EmbeddedKeys } from './loadEmbeddedKeys.ts'
import { type Chain, startChain } from './startChain.ts'
import { deployXcr, placeUsdt } from './tokens.ts'

interface EmbeddedChainsOptions {
  dataDir: string
  keys: EmbeddedKeys
  usdtAddress: Address
  paymentPort?: number
  rewardPort?: number
}

export interface EmbeddedChains {
  env: Environment
  payment: Chain
  reward: Chain
  stop: () => Promise<void>
}

/** The balance of the payout wallet after a refill, in XCR. It is refilled below a tenth of it. */
const PAYOUT_BALANCE = parseEther('10000000')
const PAYOUT_FEES = parseEther('1000000')
/** The balance of the wallet that anchors the register. It is refilled at each start. */
const ANCHOR_FEES = parseEther('1000')

/** Starts both chains with their tokens and the register's anchor contract, and funds the wallets that pay fees. */
export async function startEmbeddedChains(options: EmbeddedChainsOptions): Promise<EmbeddedChains> {
  const starting = await Promise.allSettled([startPaymentChain(options), startRewardChain(options)])
  const [payment, reward] = starting
  if (payment.status === 'rejected' || reward.status === 'rejected') {
    if (payment.status === 'fulfilled') await payment.value.chain.stop()
    if (reward.status === 'fulfilled') await reward.value.chain.stop()
    throw payment.status === 'rejected' ? payment.reason : (reward as PromiseRejectedResult).reason
  }
  const { chain, token } = reward.value
  const { chain: paymentChain, anchor } = payment.value
  return {
    payment: paymentChain,
    reward: chain,
    env: {
      BSC_RPC_URLS: paymentChain.url,
      BSC_WALLET_RPC_URL: paymentChain.url,
      USDT_ADDRESS: options.usdtAddress,
      DEPOSIT_ADDRESS: privateKeyToAccount(options.keys.depositPrivateKey).address,
      DEPOSIT_START_BLOCK: String(paymentChain.firstBlock),
      REGISTER_ANCHOR_ADDRESS: anchor,
      ANCHOR_PRIVATE_KEY: options.keys.anchorPrivateKey,
      XCR_RPC_URLS: chain.url,
      // Two URLs of one chain, so that wallets get two.
      XCR_WALLET_RPC_URLS: `${chain.url},${chain.url.replace('127.0.0.1', 'localhost')}`,
      XCR_EXPLORER_URL: chain.url,
      XCR_TOKEN_ADDRESS: token,
      PAYOUT_PRIVATE_KEY: options.keys.payoutPrivateKey,
    },
    stop: async () => void (await Promise.all([paymentChain.stop(), chain.stop()])),
  }
}

interface PaymentChain {
  chain: Chain
  anchor: Address
}

async function startPaymentChain({ dataDir, keys, usdtAddress, paymentPort }: EmbeddedChainsOptions): Promise<PaymentChain> {
  const chain = await startChain({
    chainId: PAYMENT_CHAIN_ID,
    name: 'payment chain',
    portVariable: 'EMBEDDED_BSC_PORT',
    mining: 'everySecond',
    stateDir: path.join(dataDir, 'payment-chain'),
    ...(paymentPort && { port: paymentPort }),
  })
  return stopOnFailure(chain, async () => {
    const client = connectDevChain(chain.url, PAYMENT_CHAIN_ID)
    const publisher = privateKeyToAccount(keys.anchorPrivateKey).address
    await placeUsdt(client, usdtAddress)
    const deployer = privateKeyToAccount(keys.deployerPrivateKey)
    const anchor = await deployOnce(client, deployer, { ...registerAnchor, args: [publisher] })
    await client.setBalance({ address: publisher, value: ANCHOR_FEES })
    return { chain, anchor }
  })
}

async function startRewardChain({ dataDir, keys, rewardPort }: EmbeddedChainsOptions): Promise<{ chain: Chain; token: Address }> {
  const chain = await startChain({
    chainId: REWARD_CHAIN_ID,
    name: 'reward chain',
    portVariable: 'EMBEDDED_XCR_PORT',
    mining: 'everySecond',
    stateDir: path.join(dataDir, 'reward-chain'),
    ...(rewardPort && { port: rewardPort }),
  })
  return stopOnFailure(chain, async () => {
    const client = connectDevChain(chain.url, REWARD_CHAIN_ID)
    const deployer = privateKeyToAccount(keys.deployerPrivateKey)
    const payout = privateKeyToAccount(keys.payoutPrivateKey).address
    const token = await deployXcr(client, deployer)
    const contract = { address: token, abi: xcrToken.abi } as const
    const [fees, balance] = await Promise.all([
      client.getBalance({ address: payout }),
      client.readContract({ ...contract, functionName: 'balanceOf', args: [payout] }),
    ])
    if (fees < PAYOUT_FEES / 10n) await client.setBalance({ address: payout, value: PAYOUT_FEES })
    if (balance < PAYOUT_BALANCE / 10n) {
      await client.setBalance({ address: deployer.address, value: parseEther('1') })
      const hash = await client.writeContract({
        ...contract,
        account: deployer,
        functionName: 'mint',
        args: [payout, PAYOUT_BALANCE - balance],
      })
      await client.waitForTransactionReceipt({ hash })
    }
    return { chain, token }
  })
}

async function stopOnFailure<Result>(chain: Chain, prepare: () => Promise<Result>): Promise<Result> {
  try {
    return await prepare()
  } catch (error) {
    await chain.stop()
    throw error
  }
}
