import type { Address } from 'viem'
import type { ChainClient } from './ChainClient.ts'

/** What the sale asks the payment chain, apart from the watcher's reading. */
export interface PaymentChainClient extends ChainClient {
  /** @throws ChainUnavailable if no endpoint answers. */
  usdtBalanceOf(owner: Address): Promise<bigint>
}
