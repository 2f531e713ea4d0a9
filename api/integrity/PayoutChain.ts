import type { Address, Hash } from 'viem'
import type { Receipt } from '#api/platform/chain/readReceipt.ts'
import type { SentTransfer } from '#api/platform/chain/readSentTransfers.ts'

/** What the audit asks one endpoint of the reward chain. Everything @throws if it does not answer. */
export interface PayoutChain {
  host: string
  /** The newest block that counts as final; negative on a chain that is too short for one. */
  readFinalBlock(): Promise<bigint>
  /** Every transfer out of these wallets up to a block. */
  readTransfersFrom(wallets: readonly Address[], upTo: bigint): Promise<SentTransfer[]>
  /** How many transactions of a wallet have been mined. */
  countSent(wallet: Address): Promise<number>
  /** Null if the chain does not have it. */
  readReceipt(hash: Hash): Promise<Receipt | null>
}
