import type { Address } from 'viem'
import type { Transfer } from '../chain/readTransfers.ts'

/** What the audit asks the payment chain. Everything @throws ChainUnavailable if no endpoint answers. */
export interface DepositChain {
  /** The newest block that counts as final; negative on a chain that is too short for one. */
  readFinalBlock(): Promise<bigint>
  /** Every transfer to these addresses in a range of blocks, in the order of the chain. */
  readTransfers(range: { recipients: readonly Address[]; from: bigint; to: bigint }): Promise<Transfer[]>
}
