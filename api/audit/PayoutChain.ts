import type { Address, Hash } from 'viem'
import type { Receipt } from '../chain/readReceipt.ts'

/** A transfer of XCR that has left a payout wallet. */
export interface PaidTransfer {
  transactionHash: Hash
  logIndex: number
  sender: Address
  recipient: Address
  amount: bigint
}

/** What the audit asks the reward chain. Everything @throws ChainUnavailable if no endpoint answers. */
export interface PayoutChain {
  /** The newest block that counts as final; negative on a chain that is too short for one. */
  readFinalBlock(): Promise<bigint>
  /** Every transfer out of these wallets up to a block. */
  readTransfersFrom(wallets: readonly Address[], upTo: bigint): Promise<PaidTransfer[]>
  /** How many transactions of a wallet have been mined. */
  countSent(wallet: Address): Promise<number>
  /** Null if the chain does not have it. */
  readReceipt(hash: Hash): Promise<Receipt | null>
}
