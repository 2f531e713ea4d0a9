import type { Address, Hash } from 'viem'
import type { Agreement } from '#api/platform/chain/readAgreed.ts'
import type { ReceiptTransfer } from '#api/platform/chain/readAgreedReceipt.ts'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'

/** What one host of the payment chain says. Everything @throws ChainUnavailable if it does not answer. */
export interface DepositWitness {
  host: string
  /** The newest block that counts as final; negative on a chain that is too short for one. */
  readFinalBlock(): Promise<bigint>
  /** Every transfer to these addresses in a range of blocks, in the order of the chain. */
  readTransfers(range: { recipients: readonly Address[]; from: bigint; to: bigint }): Promise<Transfer[]>
}

/** What the audit asks the payment chain. */
export interface DepositChain {
  /** One for each host that is configured: a single one that lies must not say that everything agrees. */
  witnesses: readonly DepositWitness[]
  /** The transfers of USDT in a transaction, as two hosts show it alike. */
  readTransfersOf(hash: Hash): Promise<Agreement<ReceiptTransfer[]>>
}
