import {
  type Chain,
  type Client,
  createTestClient,
  defineChain,
  type HttpTransport,
  http,
  type PublicActions,
  publicActions,
  type TestActions,
  type WalletActions,
  walletActions,
} from 'viem'
import { MINUTE } from '#shared/dates.ts'

/** The chain id of BNB Smart Chain and of the embedded payment chain. */
export const PAYMENT_CHAIN_ID = 56
/** The chain id of the reward chain. */
export const REWARD_CHAIN_ID = 20_250_217

const currencies: Record<number, string> = { [PAYMENT_CHAIN_ID]: 'BNB', [REWARD_CHAIN_ID]: 'XP' }

export type DevChainClient = Client<
  HttpTransport,
  Chain,
  undefined,
  undefined,
  TestActions & PublicActions<HttpTransport, Chain> & WalletActions<Chain, undefined>
>

/** One attempt for each call. A slow machine mines a thousand blocks in ten seconds. */
export const devChainTransport = (url: string): HttpTransport => http(url, { retryCount: 0, timeout: MINUTE })

/** A client of an embedded chain that reads, signs with local accounts, and calls the methods of a development chain. */
export function connectDevChain(url: string, chainId: number, transport = devChainTransport(url)): DevChainClient {
  const symbol = currencies[chainId] ?? 'ETH'
  return createTestClient({
    mode: 'anvil',
    chain: defineChain({
      id: chainId,
      name: `Embedded ${symbol} chain`,
      nativeCurrency: { name: symbol, symbol, decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    }),
    transport,
    pollingInterval: 50,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}
