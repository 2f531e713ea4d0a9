import type { Hash } from 'viem'
import type { FaultyRpc } from './faultyRpc.ts'

interface TransferLog {
  data: string
  transactionHash: Hash
}

/** Makes an endpoint return another amount for the transfers of one transaction, in logs and in its receipt. */
export function lieAboutAmount(rpc: FaultyRpc, { hash, amount }: { hash: Hash; amount: bigint }): void {
  const change = <Log extends TransferLog>(log: Log): Log =>
    log.transactionHash === hash ? { ...log, data: `0x${amount.toString(16).padStart(64, '0')}` } : log
  rpc.fail(({ method }) => {
    if (method === 'eth_getLogs') return { rewrite: (logs: TransferLog[]) => logs.map(change) }
    if (method === 'eth_getTransactionReceipt')
      return {
        rewrite: (receipt: { logs: TransferLog[] } | null) => receipt && { ...receipt, logs: receipt.logs.map(change) },
      }
    return undefined
  })
}
