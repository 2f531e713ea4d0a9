import type { Address, Hex } from 'viem'

export interface SignedText {
  wallet: Address
  message: string
  signature: Hex
}

/**
 * The code at an address: none, a contract, or the delegation of an ordinary account (EIP-7702), which its own key still
 * controls.
 */
export type Code = 'none' | 'delegation' | 'contract'

/** Calls that either chain answers about a wallet. */
export interface ChainClient {
  /**
   * Whether the wallet signed the text: by its key, or by EIP-1271 for a contract.
   *
   * @throws ChainUnavailable if this cannot be determined now, which does not mean that the signature is invalid.
   */
  isSignedBy(signed: SignedText): Promise<boolean>
  /** @throws ChainUnavailable if no endpoint answers. */
  codeAt(address: Address): Promise<Code>
  /** The chain's current time by `readChainTime`. Undefined if too few endpoints answer. */
  readTime(latest: Date): Promise<Date | undefined>
}

/** No RPC endpoint of the chain answers. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}
