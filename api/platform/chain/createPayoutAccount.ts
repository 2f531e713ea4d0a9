import type { Address, Hash, Hex } from 'viem'
import { prefixedKey } from '../crypto/hexKeys.ts'
import type { Fees } from './readFees.ts'

export interface SignedTransaction {
  hash: Hash
  signedBytes: Hex
}

interface Terms extends Fees {
  nonce: number
  gas: bigint
}

/** The payout key for one token on one chain. Signs transactions without sending them. */
export interface PayoutAccount {
  /** In lower case. */
  address: Address
  signTransfer(transfer: Terms & { recipient: Address; amount: bigint }): Promise<SignedTransaction>
  /** A zero-value transaction to our own address, which only uses up its nonce. */
  signNothing(terms: Terms): Promise<SignedTransaction>
  /** The gas limit of a signed transaction. */
  gasOf(signedBytes: Hex): bigint
}

/** The call data of `transfer(address,uint256)`. */
export const transferCall = (recipient: Address, amount: bigint): Hex =>
  `0xa9059cbb${recipient.slice(2).toLowerCase().padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`

export async function createPayoutAccount({
  privateKey,
  chainId,
  token,
}: {
  /** 32 bytes in hex. */
  privateKey: string
  chainId: number
  token: Address
}): Promise<PayoutAccount> {
  // Loaded lazily, because viem is as large as the rest of the server.
  const [{ privateKeyToAccount }, { keccak256, parseTransaction }] = await Promise.all([import('viem/accounts'), import('viem')])
  const account = privateKeyToAccount(prefixedKey(privateKey))
  const sign = async (transaction: Terms & { to: Address; data?: Hex }): Promise<SignedTransaction> => {
    const signedBytes = await account.signTransaction({ type: 'eip1559', chainId, value: 0n, ...transaction })
    return { signedBytes, hash: keccak256(signedBytes) }
  }
  return {
    address: account.address.toLowerCase() as Address,
    signTransfer: ({ recipient, amount, ...terms }) => sign({ ...terms, to: token, data: transferCall(recipient, amount) }),
    signNothing: (terms) => sign({ ...terms, to: account.address }),
    gasOf: (signedBytes) => parseTransaction(signedBytes).gas ?? 0n,
  }
}
