import type { Address } from 'viem'
import type { ChainClient } from './ChainClient.ts'

/** What the sale asks the payment chain, apart from the watcher's reading. */
export interface PaymentChainClient extends ChainClient {
  /** @throws ChainUnavailable if no endpoint answers. */
  usdtBalanceOf(owner: Address): Promise<bigint>
  /**
   * What each of them held after a block, in their order. Where endpoints of several hosts are configured, two must answer, and where they
   * differ the larger balance counts: a single endpoint takes nobody's nodes.
   *
   * @throws ChainUnavailable if too few endpoints answer.
   */
  usdtBalancesAt(block: bigint, owners: readonly Address[]): Promise<bigint[]>
}
