import { sha256 as hash } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { equalBytes } from './bytes.ts'

/** Bytes of a hash. */
export const HASH_SIZE = 32
/** Leaves of a block: a reader fetches and verifies whole blocks. */
export const BLOCK_SIZE = 256
/** The most hashes of a proof. */
const MAX_PROOF = 64

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

/** The inclusion proof of a leaf in the tree of these leaf hashes. */
export function inclusionProof(index: number, hashes: readonly Uint8Array[]): Uint8Array[] {
  if (!Number.isInteger(index) || index < 0 || index >= hashes.length) throw new RangeError(`There is no leaf ${index}.`)
  const proof: Uint8Array[] = []
  for (let [from, to] = [0, hashes.length]; to - from > 1; ) {
    const middle = from + splitOf(to - from)
    if (index < middle) {
      proof.push(rootOf(hashes.slice(middle, to)))
      to = middle
    } else {
      proof.push(rootOf(hashes.slice(from, middle)))
      from = middle
    }
  }
  return proof.reverse()
}

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

/** The proof that the tree of the first `size` leaves is a prefix of the tree of all. */
export function consistencyProof(size: number, hashes: readonly Uint8Array[]): Uint8Array[] {
  if (!Number.isInteger(size) || size < 1 || size > hashes.length) throw new RangeError(`There is no tree of ${size} leaves.`)
  const proof: Uint8Array[] = []
  let [from, to] = [0, hashes.length]
  while (size !== to) {
    const middle = from + splitOf(to - from)
    if (size <= middle) {
      proof.push(rootOf(hashes.slice(middle, to)))
      to = middle
    } else {
      proof.push(rootOf(hashes.slice(from, middle)))
      from = middle
    }
  }
  // The verifier knows the old root itself.
  if (from > 0) proof.push(rootOf(hashes.slice(from, to)))
  return proof.reverse()
}

interface Inclusion {
  index: number
  size: number
  leafHash: Uint8Array
  proof: readonly Uint8Array[]
  root: Uint8Array
}

/** RFC 9162, 2.1.3.2. */
export function isIncluded({ index, size, leafHash, proof, root }: Inclusion): boolean {
  if (!isPosition(index, size) || proof.length > MAX_PROOF) return false
  let [node, last, hash] = [index, size - 1, leafHash]
  for (const sibling of proof) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else hash = nodeHash(hash, sibling)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && equalBytes(hash, root)
}

interface Consistency {
  from: { size: number; root: Uint8Array }
  to: { size: number; root: Uint8Array }
  proof: readonly Uint8Array[]
}

/** RFC 9162, 2.1.4.2. */
export function isConsistent({ from, to, proof }: Consistency): boolean {
  if (proof.length > MAX_PROOF || !isPosition(from.size - 1, to.size)) return false
  if (from.size === to.size) return proof.length === 0 && equalBytes(from.root, to.root)
  const path = isPowerOfTwo(from.size) ? [from.root, ...proof] : proof
  const [first, ...rest] = path
  if (first === undefined || proof.length === 0) return false
  let [node, last] = [from.size - 1, to.size - 1]
  while (node % 2 === 1) [node, last] = [half(node), half(last)]
  let [older, newer] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      older = nodeHash(sibling, older)
      newer = nodeHash(sibling, newer)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else newer = nodeHash(newer, sibling)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && equalBytes(older, from.root) && equalBytes(newer, to.root)
}

const half = (value: number): number => Math.floor(value / 2)
const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value))
const isPosition = (index: number, size: number): boolean =>
  Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size
