import type { Address, Hex } from 'viem'

export interface SignedText {
  wallet: Address
  message: string
  signature: Hex
}

/**
 * What is at an address: nothing; a contract; or the designator of an ordinary account that has delegated to a contract (EIP-7702), whose
 * own key still commands it.
 */
export type Code = 'none' | 'delegation' | 'contract'

/** What is asked of either chain about a wallet. */
export interface ChainClient {
  /**
   * Whether the wallet signed the text: an ordinary account by its key, a contract by its own word (EIP-1271).
   *
   * @throws ChainUnavailable if that cannot be told now, which is not a no.
   */
  isSignedBy(signed: SignedText): Promise<boolean>
  /** @throws ChainUnavailable if no endpoint answers. */
  codeAt(address: Address): Promise<Code>
  /** The time that the chain has reached, by `readChainTime`. Undefined if it does not answer. */
  readTime(latest: Date): Promise<Date | undefined>
}

/** No RPC endpoint of a chain answers. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}
