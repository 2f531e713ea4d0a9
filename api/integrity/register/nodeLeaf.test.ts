import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { toBase64 } from '#shared/register/bytes.ts'
import { blockRange, DayTree, hashBlock } from '#shared/register/dayTree.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { encodeLeaf, freeLeaf, LEAF_SIZE, type NodeLeaf, parseLeaf } from '#shared/register/nodeLeaf.ts'
import { accountHash, daySecret, emailHash, nodeCommitment } from '#shared/register/secrets.ts'
import { HASH_SIZE, leafHash, rootOf, sha256 } from '#shared/register/tree.ts'
import { inclusionProof } from '#api/testing/treeProofs.ts'
import vectors from './vectors/vectors.json' with { type: 'json' }

const ONE = 10n ** 18n
const day = '2026-11-23'
const buyer = { proofKey: Buffer.alloc(32, 0x11), emailHash: emailHash('buyer@example.com') }
const secret = daySecret(buyer.proofKey, day)
const commit = (number: number) => nodeCommitment({ secret, day, number, emailHash: buyer.emailHash })
const u32 = (number: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
/** The leaf of a number in the vectors' day of 300. */
const wide = (number: number): NodeLeaf => ({
  state: 'active',
  kind: 'paid',
  commitment: sha256(u32(number)),
  earned: BigInt(number),
})
const treeOf = (supply: number) => {
  const tree = new DayTree()
  return { tree, file: Buffer.concat(Array.from({ length: supply }, (_, index) => tree.append(wide(index + 1)))) }
}

test('leaves, secrets and the tree are those of the vectors', () => {
  expect(bytesToHex(secret)).toBe('2c039a3fb721b33fb056f8b36db8975b280807bdadc946a2454bb6f6147db381')
  expect(bytesToHex(accountHash(buyer))).toBe('e74fc4e1723b88b314cf0f69b6d4674761fbb89e1e43327575ac14617d782996')
  const tree = new DayTree()
  const first = tree.append({ state: 'active', kind: 'paid', commitment: commit(1), earned: 20n * ONE })
  expect(bytesToHex(first)).toBe(
    '01020100ad4374b9c24baa26a30b0beadeb2e8de4fe1bbc4f6b74def1cd94dbaeacc93780000000000000001158e460913d00000',
  )
  tree.append({ state: 'active', kind: 'paid', commitment: commit(2), earned: 20n * ONE })
  tree.append({ state: 'waiting', kind: 'bonus', commitment: commit(3), earned: 0n })
  tree.append(freeLeaf)
  tree.append(freeLeaf)
  expect(toBase64(tree.root())).toBe('Xrg4ASPV5i0JUZoMXJoyjJT0tZfcRFgOkbGnmd1CQG4=')
  expect(tree).toMatchObject({
    size: 5,
    earned: 40n * ONE,
    states: { free: 2, waiting: 1, active: 2, frozen: 0 },
    kinds: { none: 2, paid: 2, bonus: 1, granted: 0 },
  })
  expect(vectors.leaves.nodesRoot).toBe(toBase64(tree.root()))
})

test('a leaf is read as it was written', () => {
  const leaves: NodeLeaf[] = [freeLeaf, wide(1), { ...wide(2), state: 'frozen', kind: 'granted', earned: 2n ** 128n - 1n }]
  for (const leaf of leaves) expect(parseLeaf(encodeLeaf(leaf))).toEqual(leaf)
})

test.each(vectors.refusedLeaves)('a leaf is refused: $why', ({ leaf }) => {
  expect(() => parseLeaf(hexToBytes(leaf))).toThrow(FormatError)
})

test.each<Partial<NodeLeaf>>([
  { earned: -1n },
  { earned: 2n ** 128n },
  { commitment: Buffer.alloc(31, 1) },
  { commitment: Buffer.alloc(32) },
  { kind: 'none' },
  { state: 'free' },
])('a leaf that would be refused is not written: %o', (wrong) => {
  expect(() => encodeLeaf({ ...wide(1), ...wrong })).toThrow(FormatError)
})

test('a file of 300 numbers has the hash, block hashes, proofs and root of the vectors', () => {
  const { dayFile } = vectors
  const { tree, file } = treeOf(dayFile.supply)
  expect(bytesToHex(sha256(file))).toBe(dayFile.fileHash)
  expect(toBase64(tree.root())).toBe(dayFile.root)
  expect(bytesToHex(tree.blockHashes())).toBe(dayFile.blockHashes.join(''))
  const hashes = Array.from({ length: 300 }, (_, index) => leafHash(file.subarray(index * LEAF_SIZE, (index + 1) * LEAF_SIZE)))
  for (const index of [0, 255, 256, 299] as const)
    expect(inclusionProof(index, hashes).map(bytesToHex)).toEqual(dayFile[`inclusion_${index}`])
})

test('a block is verified by its bytes and the block hashes alone', () => {
  const { tree, file } = treeOf(300)
  const hashes = tree.blockHashes()
  for (const [number, expected] of [
    [1, { block: 0, start: 0, end: 13_312 }],
    [256, { block: 0, start: 0, end: 13_312 }],
    [257, { block: 1, start: 13_312, end: 15_600 }],
    [300, { block: 1, start: 13_312, end: 15_600 }],
  ] as const) {
    const range = blockRange(number, 300)
    expect(range).toEqual(expected)
    const bytes = file.subarray(range.start, range.end)
    expect(hashBlock(bytes)).toEqual(hashes.subarray(range.block * HASH_SIZE, (range.block + 1) * HASH_SIZE))
    const changed = Buffer.from(bytes)
    changed[51]! ^= 1
    expect(hashBlock(changed)).not.toEqual(hashBlock(bytes))
  }
  expect(rootOf([hashes.subarray(0, 32), hashes.subarray(32)])).toEqual(tree.root())
})

test('a commitment opens with one key, day, number and e-mail only', () => {
  const opened = { secret, day, number: 1, emailHash: buyer.emailHash }
  const all = [
    nodeCommitment(opened),
    nodeCommitment({ ...opened, number: 2 }),
    nodeCommitment({ ...opened, secret: daySecret(buyer.proofKey, '2026-11-24') }),
    nodeCommitment({ ...opened, day: '2026-11-24' }),
    nodeCommitment({ ...opened, secret: daySecret(Buffer.alloc(32, 0x12), day) }),
    nodeCommitment({ ...opened, emailHash: emailHash('buyer@example.org') }),
  ]
  expect(new Set(all.map(bytesToHex)).size).toBe(all.length)
})
