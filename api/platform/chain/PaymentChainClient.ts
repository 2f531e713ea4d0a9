import type { Address } from 'viem'
import type { ChainClient } from './ChainClient.ts'

/** The sale's calls to the payment chain, apart from the watcher's. */
export interface PaymentChainClient extends ChainClient {
  /** @throws ChainUnavailable if no endpoint answers. */
  usdtBalanceOf(owner: Address): Promise<bigint>
  /**
   * The balances of the owners after a block, in their order. Where endpoints of several hosts are configured, two must answer
   * and the larger balance counts, so that a single endpoint cannot release a buyer's hold.
   *
   * @throws ChainUnavailable if too few endpoints answer.
   */
  usdtBalancesAt(block: bigint, owners: readonly Address[]): Promise<bigint[]>
}
