import type { Hex } from 'viem'
import { isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/**
 * A node's response to a signed transaction.
 *
 * - taken: it is in the mempool now, or was before
 * - nonceUsed: its nonce is used on the chain, by this transaction or another one; receipts tell which
 * - underpriced: its fees are too low for the block, or to replace the pending transaction of its nonce
 * - refused: any other error
 */
export interface SendAnswer {
  outcome: 'taken' | 'nonceUsed' | 'underpriced' | 'refused'
  message: string
}

/** Node implementations word the same errors differently and share one error code. */
const words: readonly (readonly [SendAnswer['outcome'], RegExp])[] = [
  ['taken', /already known|already imported|already exists|known transaction|alreadyknown/i],
  ['nonceUsed', /nonce (is )?too low|oldnonce|nonce has already been used/i],
  ['underpriced', /underpriced|fee too low|gas price too low|feetoolow|less than block base fee|below (the )?(block )?base fee/i],
]

/** Sends signed bytes to a node. @throws if the node does not answer, in which case it may have accepted them. */
export async function sendTransaction(endpoint: RpcEndpoint, signedBytes: Hex): Promise<SendAnswer> {
  try {
    await endpoint.request('eth_sendRawTransaction', [signedBytes])
    return { outcome: 'taken', message: '' }
  } catch (error) {
    if (!isRpcRefusal(error)) throw error
    const outcome = words.find(([, pattern]) => pattern.test(error.message))?.[0] ?? 'refused'
    return { outcome, message: error.message }
  }
}
