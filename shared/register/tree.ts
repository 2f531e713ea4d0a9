import { sha256 as hash } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

/** Bytes of a hash. */
export const HASH_SIZE = 32
/** Leaves of a block: a reader fetches and verifies whole blocks. */
export const BLOCK_SIZE = 256

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => hash(concatBytes(...parts))

const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)]

/** The hashes of a file that has one after another. */
export const splitHashes = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: bytes.length / HASH_SIZE }, (_, index) => bytes.subarray(index * HASH_SIZE, (index + 1) * HASH_SIZE))

export const leafHash = (data: Uint8Array): Uint8Array => sha256(LEAF, data)
/** Hash → node above two of it. While few nodes are sold, most of a day's tree is above equal leaves. */
const aboveTwins = new WeakMap<Uint8Array, Uint8Array>()

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const known = left === right ? aboveTwins.get(left) : undefined
  const hash = known ?? sha256(NODE, left, right)
  if (left === right && !known) aboveTwins.set(left, hash)
  return hash
}

/** What remains of a tree when only its growth matters: the size and the roots of its complete subtrees, largest first. */
export interface TreeState {
  size: number
  roots: readonly Uint8Array[]
}

/** An RFC 6962 tree that grows by leaf hashes. It holds one hash for each bit of its size. */
export class GrowingTree {
  #size: number
  readonly #roots: Uint8Array[]

  /** Continues a tree, or begins one. */
  constructor({ size, roots }: TreeState = { size: 0, roots: [] }) {
    this.#size = size
    this.#roots = [...roots]
  }

  get size(): number {
    return this.#size
  }

  get state(): TreeState {
    return { size: this.#size, roots: [...this.#roots] }
  }

  append(leaf: Uint8Array): void {
    let merged = leaf
    // Each trailing one bit of the size is a complete subtree as large as the one that was just completed.
    for (let bits = this.#size; bits & 1; bits >>>= 1) merged = nodeHash(this.#roots.pop()!, merged)
    this.#roots.push(merged)
    this.#size++
  }

  root(): Uint8Array {
    return this.#roots.length === 0 ? sha256() : this.#roots.reduceRight((right, left) => nodeHash(left, right))
  }
}

export function rootOf(hashes: Iterable<Uint8Array>): Uint8Array {
  const tree = new GrowingTree()
  for (const leaf of hashes) tree.append(leaf)
  return tree.root()
}

/** The block hashes of leaves that arrive one by one, and the root over them, which is the root over the leaves. */
export class BlockTree {
  readonly #complete = new GrowingTree()
  readonly #completeHashes: Uint8Array[] = []
  #block = new GrowingTree()

  get size(): number {
    return this.#complete.size * BLOCK_SIZE + this.#block.size
  }

  append(leaf: Uint8Array): void {
    this.#block.append(leaf)
    if (this.#block.size < BLOCK_SIZE) return
    const blockHash = this.#block.root()
    this.#complete.append(blockHash)
    this.#completeHashes.push(blockHash)
    this.#block = new GrowingTree()
  }

  /** The hashes of complete blocks, and of an incomplete one at the end. */
  blockHashes(): Uint8Array[] {
    return this.#block.size > 0 ? [...this.#completeHashes, this.#block.root()] : [...this.#completeHashes]
  }

  root(): Uint8Array {
    if (this.#block.size === 0) return this.#complete.root()
    const whole = new GrowingTree(this.#complete.state)
    whole.append(this.#block.root())
    return whole.root()
  }
}

/** The largest power of two below a size above 1. */
const splitOf = (size: number): number => 2 ** (31 - Math.clz32(size - 1))

/** Makes inclusion proofs of many leaves: each subtree is hashed once. */
export function inclusionProver(hashes: readonly Uint8Array[]): (index: number) => Uint8Array[] {
  const roots = new Map<string, Uint8Array>()
  const rootAt = (from: number, to: number): Uint8Array => {
    if (to - from === 1) return hashes[from]!
    const key = `${from} ${to}`
    const middle = from + splitOf(to - from)
    const root = roots.get(key) ?? nodeHash(rootAt(from, middle), rootAt(middle, to))
    roots.set(key, root)
    return root
  }
  return (index) => {
    const proof: Uint8Array[] = []
    for (let [from, to] = [0, hashes.length]; to - from > 1; ) {
      const middle = from + splitOf(to - from)
      if (index < middle) {
        proof.push(rootAt(middle, to))
        to = middle
      } else {
        proof.push(rootAt(from, middle))
        from = middle
      }
    }
    return proof.reverse()
  }
}
