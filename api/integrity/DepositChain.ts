import type { Address, Hash } from 'viem'
import type { Agreement } from '#api/platform/chain/readAgreed.ts'
import type { ReceiptTransfer } from '#api/platform/chain/readAgreedReceipt.ts'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'

/** One host of the payment chain. Every method @throws ChainUnavailable if it does not answer. */
export interface DepositHost {
  name: string
  /** The newest final block; negative while the chain is too short to have one. */
  readFinalBlock(): Promise<bigint>
  /** Every transfer to these addresses in a range of blocks, in chain order. In parts, because anyone may send a million of them. */
  readTransfers(range: BlockRange & { recipients: readonly Address[] }): AsyncIterable<BlockRange & { transfers: Transfer[] }>
}

interface BlockRange {
  from: bigint
  to: bigint
}

/** The audit's requests to the payment chain. */
export interface DepositChain {
  /** One for each configured host: a single wrong host must not make the audit pass. */
  hosts: readonly DepositHost[]
  /** The USDT transfers of a transaction on which two hosts agree. */
  readTransfersOf(hash: Hash): Promise<Agreement<ReceiptTransfer[]>>
}
