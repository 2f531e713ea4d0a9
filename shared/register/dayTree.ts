import { concatBytes } from '@noble/hashes/utils.js'
import { encodeLeaf, freeLeaf, LEAF_SIZE, type NodeKind, type NodeLeaf, type NodeState } from './nodeLeaf.ts'
import { BLOCK_SIZE, BlockTree, leafHash, rootOf } from './tree.ts'

const freeHash = leafHash(encodeLeaf(freeLeaf))

/** The tree of a day's nodes, built leaf by leaf in number order. It keeps hashes and sums, no leaves. */
export class DayTree {
  readonly #tree = new BlockTree()
  readonly states: Record<NodeState, number> = { free: 0, waiting: 0, active: 0, frozen: 0 }
  readonly kinds: Record<NodeKind, number> = { none: 0, paid: 0, bonus: 0, granted: 0 }
  #earned = 0n

  /** Appends the leaf of the next number. @returns its bytes in the day's file. */
  append(leaf: NodeLeaf): Uint8Array {
    const bytes = encodeLeaf(leaf)
    this.#tree.append(leaf.state === 'free' ? freeHash : leafHash(bytes))
    this.states[leaf.state]++
    this.kinds[leaf.kind]++
    this.#earned += leaf.earned
    return bytes
  }

  get size(): number {
    return this.#tree.size
  }

  get earned(): bigint {
    return this.#earned
  }

  root(): Uint8Array {
    return this.#tree.root()
  }

  /** The bytes of `<day>.hashes.bin`. */
  blockHashes(): Uint8Array {
    return concatBytes(...this.#tree.blockHashes())
  }
}

/** Where the block of a number lies in the day's file. */
export function blockRange(number: number, supply: number): { block: number; start: number; end: number } {
  const block = Math.floor((number - 1) / BLOCK_SIZE)
  const bytes = BLOCK_SIZE * LEAF_SIZE
  return { block, start: block * bytes, end: Math.min((block + 1) * bytes, supply * LEAF_SIZE) }
}

/** The hash of a block's bytes, as in the day's block hashes. */
export const hashBlock = (bytes: Uint8Array): Uint8Array =>
  rootOf(
    Array.from({ length: bytes.length / LEAF_SIZE }, (_, index) =>
      leafHash(bytes.subarray(index * LEAF_SIZE, (index + 1) * LEAF_SIZE)),
    ),
  )
