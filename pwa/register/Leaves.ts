import { bytesToHex } from '@noble/hashes/utils.js'
import { DayTree } from '#shared/register/dayTree.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { freeLeaf, LEAF_SIZE, type NodeKind, type NodeLeaf, type NodeState, parseLeaf } from '#shared/register/nodeLeaf.ts'

/** The leaves of one day. */
export class Leaves {
  readonly #bytes: Uint8Array
  readonly #leaves: readonly NodeLeaf[]

  constructor(bytes: Uint8Array, leaves: readonly NodeLeaf[]) {
    this.#bytes = bytes
    this.#leaves = leaves
  }

  get size(): number {
    return this.#leaves.length
  }

  /** A number without a leaf is free. */
  of(number: number): NodeLeaf {
    return this.#leaves[number - 1] ?? freeLeaf
  }

  state(number: number): NodeState {
    return this.of(number).state
  }

  kind(number: number): NodeKind {
    return this.of(number).kind
  }

  /** The leaf's bytes as evidence. */
  hex(number: number): string {
    if (number > this.size) return 'no leaf'
    return bytesToHex(this.#bytes.subarray((number - 1) * LEAF_SIZE, number * LEAF_SIZE))
  }
}

export const NO_LEAVES = new Leaves(new Uint8Array(), [])

/** Reads a day's leaves and builds their tree. A leaf that is none is reported, and counts as free. */
export function readLeaves(
  bytes: Uint8Array,
  onRefused: (number: number, why: string, raw: Uint8Array) => void,
): { leaves: Leaves; tree: DayTree } {
  const tree = new DayTree()
  const leaves = Array.from({ length: bytes.length / LEAF_SIZE }, (_, index) => {
    const raw = bytes.subarray(index * LEAF_SIZE, (index + 1) * LEAF_SIZE)
    try {
      const leaf = parseLeaf(raw)
      tree.append(leaf)
      return leaf
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      onRefused(index + 1, error.message, raw)
      tree.append(freeLeaf)
      return freeLeaf
    }
  })
  return { leaves: new Leaves(bytes, leaves), tree }
}
