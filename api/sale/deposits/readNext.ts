import {
  type Block,
  ChainMoved,
  readBlock,
  readTransfers,
  type Transfer,
  type TransferFilter,
} from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'

/** The last block that was read. */
export interface Cursor {
  number: bigint
  /** Null before the first block was read; then the parent hash is not checked. */
  hash: `0x${string}` | null
}

/** The chain's change since the cursor. */
export type ChainUpdate =
  | { kind: 'nothing'; head: bigint }
  | { kind: 'reorganized'; head: bigint }
  | { kind: 'blocks'; head: bigint; last: Block; transfers: Transfer[] }

/**
 * Reads the next range of blocks: head, logs and headers all from one endpoint, and never past that endpoint's own head (money.md 2).
 *
 * @throws the endpoint's error; ChainMoved if the range changed while it was read.
 */
export async function readNext(
  endpoint: RpcEndpoint,
  { cursor, size, filter }: { cursor: Cursor; size: bigint; filter: TransferFilter },
): Promise<ChainUpdate> {
  const latest = await readBlock(endpoint, 'latest')
  if (!latest) throw new ChainMoved('The endpoint has no head.')
  const head = latest.number
  if (head <= cursor.number)
    return {
      kind: head === cursor.number && cursor.hash !== null && latest.hash !== cursor.hash ? 'reorganized' : 'nothing',
      head,
    }

  const from = cursor.number + 1n
  const to = head < cursor.number + size ? head : cursor.number + size
  const last = to === head ? latest : await readBlock(endpoint, to)
  const first = from === to ? last : await readBlock(endpoint, from)
  if (!last || !first) throw new ChainMoved('A block went away while the range was read.')
  if (cursor.hash !== null && first.parentHash !== cursor.hash) return { kind: 'reorganized', head }

  const transfers = await readTransfers(endpoint, { ...filter, from, to })
  // An unchanged last block before and after proves that the logs belong to its chain.
  const lastAgain = await readBlock(endpoint, to)
  if (lastAgain?.hash !== last.hash) throw new ChainMoved('The last block changed while the range was read.')
  return { kind: 'blocks', head, last, transfers }
}
