import type { Address, Hash } from 'viem'
import type { Receipt } from '#api/platform/chain/readReceipt.ts'
import type { SentTransfer } from '#api/platform/chain/readSentTransfers.ts'

/** The audit's requests to one endpoint of the reward chain. Every method @throws if it does not answer. */
export interface PayoutChain {
  host: string
  /** The newest final block; negative while the chain is too short to have one. */
  readFinalBlock(): Promise<bigint>
  /** Every transfer from these wallets up to a block. */
  readTransfersFrom(wallets: readonly Address[], upTo: bigint): Promise<SentTransfer[]>
  /** The number of mined transactions of a wallet. */
  countSent(wallet: Address): Promise<number>
  /** Null if it is not on the chain. */
  readReceipt(hash: Hash): Promise<Receipt | null>
}
