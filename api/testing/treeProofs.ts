import { equalBytes } from '#shared/register/bytes.ts'
import { nodeHash, rootOf } from '#shared/register/tree.ts'

// The proofs of RFC 9162 as its text describes them, to compare with those of the product and of the published vectors.

/** The most hashes of a proof. */
const MAX_PROOF = 64

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
