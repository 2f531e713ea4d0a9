import type { Address, Hash, Hex } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { mapConcurrent } from '#api/platform/chain/mapConcurrent.ts'
import { readReceipt } from '#api/platform/chain/readReceipt.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'

/** A transfer of the token from the payout wallet, as read from the chain. */
export interface OwnTransfer {
  transactionHash: Hash
  /** Undefined if another account sent the transaction, using an allowance. */
  nonce: number | undefined
  /** Its index among the token's transfers in the transaction. */
  ordinal: number
  recipient: Address
  amount: bigint
  blockNumber: bigint
  blockTime: Date
}

const MAX_CONCURRENT_TRANSACTIONS = 8

/** The transfers from a wallet in these transactions, in chain order. */
export async function readOwnTransfers(
  endpoint: RpcEndpoint,
  { wallet, token, hashes }: { wallet: Address; token: Address; hashes: readonly Hash[] },
): Promise<OwnTransfer[]> {
  const transfers = await mapConcurrent([...hashes], MAX_CONCURRENT_TRANSACTIONS, async (hash) => {
    const [receipt, transaction] = await Promise.all([
      readReceipt(endpoint, hash, token),
      endpoint.request<{ nonce: Hex; from: Address } | null>('eth_getTransactionByHash', [hash]),
    ])
    const block = receipt && (await readBlock(endpoint, receipt.blockNumber))
    if (!receipt || !transaction || block?.hash !== receipt.blockHash) throw new Error(`it has no final transaction ${hash}`)
    const isOurs = transaction.from.toLowerCase() === wallet
    return receipt.transfers.flatMap(({ sender, recipient, amount }, ordinal): OwnTransfer[] =>
      sender === wallet && amount > 0n
        ? [
            {
              transactionHash: hash,
              nonce: isOurs ? Number(transaction.nonce) : undefined,
              ordinal,
              recipient,
              amount,
              blockNumber: receipt.blockNumber,
              blockTime: block.time,
            },
          ]
        : [],
    )
  })
  return transfers
    .flat()
    .toSorted((a, b) => Number(a.blockNumber - b.blockNumber) || (a.nonce ?? 0) - (b.nonce ?? 0) || a.ordinal - b.ordinal)
}

export const describeTransfer = ({ nonce, amount, recipient, transactionHash }: OwnTransfer): string =>
  `${nonce === undefined ? 'By an allowance' : `Nonce ${nonce}`}: ${formatAmount(amount)} XCR to ${recipient} (${transactionHash})`
