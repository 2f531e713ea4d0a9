import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BLOCK_SIZE, BlockTree, GrowingTree, inclusionProver, leafHash, rootOf } from '#shared/register/tree.ts'
import { consistencyProof, inclusionProof, isConsistent, isIncluded } from '#api/testing/treeProofs.ts'
import vectors from './vectors/vectors.json' with { type: 'json' }

const leaves = (size: number) => Array.from({ length: size }, (_, index) => leafHash(Buffer.from(String(index))))
/** The inputs of the test data of certificate transparency. */
const known = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map((data) =>
  leafHash(hexToBytes(data)),
)
const sizes = fc.integer({ min: 1, max: 70 })
/** A position and a value that differs from the byte there. */
const flip = (bytes: Uint8Array, bit: number): Uint8Array => {
  const changed = bytes.slice()
  changed[Math.floor(bit / 8)]! ^= 1 << (bit % 8)
  return changed
}

test('roots and proofs are those of RFC 6962', () => {
  expect(bytesToHex(rootOf([]))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(known.map((_, index) => bytesToHex(rootOf(known.slice(0, index + 1))))).toEqual(vectors.rfc6962.roots)
  expect(vectors.rfc6962.roots.at(-1)).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328')
  expect(inclusionProof(5, known).map(bytesToHex)).toEqual(vectors.rfc6962.inclusion_5_of_8)
  expect(consistencyProof(6, known).map(bytesToHex)).toEqual(vectors.rfc6962.consistency_6_to_8)
})

test('every leaf of every tree is proven, and only at its place', () => {
  for (let size = 1; size <= 40; size++) {
    const hashes = leaves(size)
    const root = rootOf(hashes)
    for (const [index, leafHash] of hashes.entries()) {
      const proof = inclusionProof(index, hashes)
      expect(isIncluded({ index, size, leafHash, proof, root })).toBe(true)
      for (let other = -1; other <= size; other++)
        if (other !== index) expect(isIncluded({ index: other, size, leafHash, proof, root })).toBe(false)
    }
  }
})

test('many proofs of one tree are those made one by one', () => {
  for (const size of [1, 2, 5, 70, 300]) {
    const prove = inclusionProver(leaves(size))
    for (let index = 0; index < size; index++) expect(prove(index)).toEqual(inclusionProof(index, leaves(size)))
  }
})

test('an inclusion proof with a flipped bit, cut, extended or reordered proves nothing', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(), (size, place, bit) => {
      const hashes = leaves(size)
      const index = place % size
      const of = { index, size, leafHash: hashes[index]!, proof: inclusionProof(index, hashes), root: rootOf(hashes) }
      expect(isIncluded(of)).toBe(true)
      expect(isIncluded({ ...of, leafHash: flip(of.leafHash, bit % 256) })).toBe(false)
      expect(isIncluded({ ...of, root: flip(of.root, bit % 256) })).toBe(false)
      expect(isIncluded({ ...of, proof: [...of.proof, hashes[0]!] })).toBe(false)
      if (of.proof.length === 0) return
      const changed = of.proof.with(bit % of.proof.length, flip(of.proof[bit % of.proof.length]!, bit % 256))
      expect(isIncluded({ ...of, proof: changed })).toBe(false)
      expect(isIncluded({ ...of, proof: of.proof.slice(1) })).toBe(false)
      expect(isIncluded({ ...of, proof: of.proof.slice(0, -1) })).toBe(false)
      expect(isIncluded({ ...of, proof: of.proof.with(0, of.proof[0]!.subarray(1)) })).toBe(false)
      if (of.proof.length > 1) expect(isIncluded({ ...of, proof: of.proof.toReversed() })).toBe(false)
    }),
  )
})

test('every tree is proven to be a prefix of every larger one', () => {
  const hashes = leaves(40)
  for (let to = 1; to <= 40; to++)
    for (let from = 1; from <= to; from++) {
      const proof = consistencyProof(from, hashes.slice(0, to))
      const sides = {
        from: { size: from, root: rootOf(hashes.slice(0, from)) },
        to: { size: to, root: rootOf(hashes.slice(0, to)) },
      }
      expect(isConsistent({ ...sides, proof })).toBe(true)
      expect(isConsistent({ ...sides, proof: [...proof, hashes[0]!] })).toBe(false)
      if (from === to) continue
      expect(isConsistent({ from: sides.to, to: sides.from, proof })).toBe(false)
      expect(isConsistent({ ...sides, proof: proof.slice(0, -1) })).toBe(false)
      expect(isConsistent({ ...sides, proof: proof.slice(1) })).toBe(false)
    }
})

test('a changed, removed or reordered leaf of the old tree breaks every consistency proof', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 30 }), fc.nat(), fc.nat(), (from, growth, place, bit) => {
      const old = leaves(from)
      const root = rootOf(old)
      const forked = [...old.with(place % from, flip(old[place % from]!, bit % 256)), ...leaves(growth)]
      const sides = { from: { size: from, root }, to: { size: forked.length, root: rootOf(forked) } }
      expect(isConsistent({ ...sides, proof: growth === 0 ? [] : consistencyProof(from, forked) })).toBe(false)
      expect(isConsistent({ ...sides, from: { size: 0, root: rootOf([]) }, proof: [] })).toBe(false)
    }),
  )
})

test('a tree continues from its state', () => {
  const hashes = leaves(70)
  for (let size = 0; size <= 70; size++) {
    const begun = new GrowingTree()
    for (const hash of hashes.slice(0, size)) begun.append(hash)
    const continued = new GrowingTree(begun.state)
    for (const hash of hashes.slice(size)) continued.append(hash)
    expect([begun.size, continued.size]).toEqual([size, 70])
    expect([begun.root(), continued.root()]).toEqual([rootOf(hashes.slice(0, size)), rootOf(hashes)])
    expect(begun.state.roots.length).toBeLessThanOrEqual(7)
  }
})

test('the root over the block hashes is the root over the leaves', () => {
  for (const size of [1, 255, 256, 257, 511, 512, 513, 1_000]) {
    const tree = new BlockTree()
    for (const hash of leaves(size)) tree.append(hash)
    expect(tree.blockHashes()).toHaveLength(Math.ceil(size / BLOCK_SIZE))
    expect(rootOf(tree.blockHashes())).toEqual(tree.root())
    expect(tree.root()).toEqual(rootOf(leaves(size)))
  }
  expect(new BlockTree().blockHashes()).toEqual([])
})

test('a proof is given only for what exists', () => {
  for (const index of [-1, 3, 0.5, Number.NaN]) expect(() => inclusionProof(index, leaves(3))).toThrow(RangeError)
  for (const size of [0, 4, 1.5]) expect(() => consistencyProof(size, leaves(3))).toThrow(RangeError)
})
