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

/** A client of an embedded chain that reads, signs with local accounts, and calls the methods of a development chain. */
export function connectDevChain(url: string, chainId: number): DevChainClient {
  const symbol = currencies[chainId] ?? 'ETH'
  return createTestClient({
    mode: 'anvil',
    chain: defineChain({
      id: chainId,
      name: `Embedded ${symbol} chain`,
      nativeCurrency: { name: symbol, symbol, decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    }),
    transport: http(url, { retryCount: 0 }),
    pollingInterval: 50,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}
