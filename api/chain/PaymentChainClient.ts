import type { Address, Hex } from 'viem'

/** What the sale asks the payment chain, apart from the watcher's reading. */
export interface PaymentChainClient {
  /** @throws ChainUnavailable if no endpoint answers. */
  usdtBalanceOf(owner: Address): Promise<bigint>
  /**
   * Whether the wallet signed the text: an ordinary account by its key, a contract by its own word (EIP-1271).
   *
   * @throws ChainUnavailable if that cannot be told now, which is not a no.
   */
  isSignedBy(signature: { wallet: Address; message: string; signature: Hex }): Promise<boolean>
}

/** No RPC endpoint of a chain answers. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}
