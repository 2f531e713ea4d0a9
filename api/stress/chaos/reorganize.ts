import { setTimeout as delay } from 'node:timers/promises'
import type { Hash, Hex } from 'viem'
import { callChain } from '#api/dev/callChain.ts'
import type { History } from './History.ts'
import type { Random } from './createRandom.ts'
import { sendSigned } from './sendUsdt.ts'
import type { LocalChain } from './startWorld.ts'

interface MinedTransaction {
  hash: Hash
  from: string
}

/**
 * Replaces the last blocks. Some of their transactions are mined again immediately in other blocks, some are sent again later by their
 * senders, and some payments are never sent again.
 */
export async function reorganize(chain: LocalChain, options: { depth: number; random: Random; history: History }): Promise<void> {
  const { again, pause } = await chain.withoutMining(() => replaceBlocks(chain, options))
  if (again.length === 0) return
  await delay(pause)
  for (const signed of again) await sendSigned(chain, { signed }).catch(() => {})
}

/** Returns the transactions to send again, and the delay in milliseconds. */
async function replaceBlocks(
  chain: LocalChain,
  { depth, random, history }: { depth: number; random: Random; history: History },
): Promise<{ again: Hex[]; pause: number }> {
  const head = Number(await callChain<Hex>(chain.url, 'eth_blockNumber'))
  const keep: [Hex, number][] = []
  const again: Hex[] = []
  // Transactions of one sender must keep their order.
  const senders = new Map<string, number>()
  for (let number = head - depth + 1; number <= head; number += 1) {
    const block = await callChain<{ transactions: MinedTransaction[] } | null>(chain.url, 'eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      true,
    ])
    for (const { hash, from } of block?.transactions ?? []) {
      const signed = await callChain<Hex | null>(chain.url, 'eth_getRawTransactionByHash', [hash])
      if (!signed) continue
      const earliest = senders.get(from) ?? 0
      if (earliest < depth && random.chance(50)) {
        const block = random.between(earliest, depth - 1)
        senders.set(from, block)
        keep.push([signed, block])
        history.countReorganized('mined again immediately')
        continue
      }
      senders.set(from, depth)
      const transfer = history.findTransfer(hash)
      // The product itself sends its payouts again.
      if (!transfer) {
        history.countReorganized('left to the product')
        continue
      }
      transfer.isDropped = random.chance(15)
      history.countReorganized(transfer.isDropped ? 'not sent again' : 'sent again by its sender')
      if (!transfer.isDropped) again.push(signed)
    }
  }
  keep.sort(([, a], [, b]) => a - b)
  await callChain(chain.url, 'anvil_reorg', [depth, keep])
  return { again, pause: random.between(200, 4_000) }
}
