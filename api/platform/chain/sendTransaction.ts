import type { Hex } from 'viem'
import { isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/**
 * What a node says to a signed transaction.
 *
 * - taken: it is in its pool now, or was before
 * - nonceUsed: its nonce is on the chain already: with this transaction or with another, which receipts tell
 * - underpriced: its fees are too low, for the block or to replace what waits at its nonce
 * - refused: something else
 */
export interface SendAnswer {
  outcome: 'taken' | 'nonceUsed' | 'underpriced' | 'refused'
  message: string
}

/** Every node has words of its own for the same refusals, and one number for all of them. */
const words: readonly (readonly [SendAnswer['outcome'], RegExp])[] = [
  ['taken', /already known|already imported|already exists|known transaction|alreadyknown/i],
  ['nonceUsed', /nonce (is )?too low|oldnonce|nonce has already been used/i],
  ['underpriced', /underpriced|fee too low|gas price too low|feetoolow|less than block base fee|below (the )?(block )?base fee/i],
]

/** Hands signed bytes to a node. @throws if the node does not answer: it may have taken them all the same. */
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
