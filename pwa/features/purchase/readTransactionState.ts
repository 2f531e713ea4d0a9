import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'

type Hash = `0x${string}`

/**
 * The chain's view of a transaction.
 *
 * - replaced: another transaction of the same sender has its nonce; it was sped up or cancelled
 */
export type TransactionState = 'waiting' | 'mined' | 'failed' | 'replaced'

/** The sender and nonce of a transaction. Only one transaction can ever be mined with it. */
export interface TransactionNonce {
  from: string
  nonce: bigint
}

/** Reads it through the wallet's provider. With a known nonce, a replacement differs from a delay. */
export async function readTransactionState(
  provider: Eip1193Provider,
  { hash, place }: { hash: Hash; place: TransactionNonce | undefined },
): Promise<{ transactionState: TransactionState; place: TransactionNonce | undefined }> {
  const ask = (method: string, ...params: string[]) => provider.request({ method, params })
  const receipt = (await ask('eth_getTransactionReceipt', hash)) as { status?: string } | null
  if (receipt) return { transactionState: receipt.status === '0x0' ? 'failed' : 'mined', place }
  const transaction = (await ask('eth_getTransactionByHash', hash)) as { from?: string; nonce?: string } | null
  const known = transaction?.from && transaction.nonce ? { from: transaction.from, nonce: BigInt(transaction.nonce) } : place
  if (!known) return { transactionState: 'waiting', place }
  const used = BigInt((await ask('eth_getTransactionCount', known.from, 'latest')) as string)
  return { transactionState: used > known.nonce ? 'replaced' : 'waiting', place: known }
}
