import type { Address, Hex } from 'viem'

export interface SignedText {
  wallet: Address
  message: string
  signature: Hex
}

/** What is asked of either chain about a wallet. */
export interface ChainClient {
  /**
   * Whether the wallet signed the text: an ordinary account by its key, a contract by its own word (EIP-1271).
   *
   * @throws ChainUnavailable if that cannot be told now, which is not a no.
   */
  isSignedBy(signed: SignedText): Promise<boolean>
  /** Whether there is code at the address. @throws ChainUnavailable if no endpoint answers. */
  hasCode(address: Address): Promise<boolean>
}

/** No RPC endpoint of a chain answers. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}
