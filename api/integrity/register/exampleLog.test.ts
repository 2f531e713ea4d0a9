import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { recoverMessageAddress, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { equalBytes, toBase64 } from '#shared/register/bytes.ts'
import { encodeEntry, parseEntry } from '#shared/register/entries.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { DayTree } from '#shared/register/dayTree.ts'
import { inLogFile } from '#shared/register/logFiles.ts'
import { freeLeaf, parseLeaf } from '#shared/register/nodeLeaf.ts'
import { accountHash, daySecret, emailHash, nodeCommitment } from '#shared/register/secrets.ts'
import { rootOf } from '#shared/register/tree.ts'
import { payingWalletMessage } from '#shared/register/walletMessage.ts'
import { splitLogFile } from '#api/testing/openNotes.ts'
import { consistencyProof, inclusionProof, isConsistent, isIncluded } from '#api/testing/treeProofs.ts'
import vectors from './vectors/vectors.json' with { type: 'json' }

const { log } = vectors
const hashes = log.hashes.map(hexToBytes)
const root = rootOf(hashes)
const fromHex = (proof: readonly string[]) => proof.map(hexToBytes)
const leavesOf = (day: string) => {
  const known: Record<string, string> = log.leaves[day as keyof typeof log.leaves]
  return Array.from({ length: log.supply }, (_, index) => {
    const bytes = known[index + 1]
    return bytes ? parseLeaf(hexToBytes(bytes)) : freeLeaf
  })
}

test('a log file is the entries with an empty line after each', () => {
  expect(log.entries.map(inLogFile).join('')).toBe(log.file)
  expect(splitLogFile(log.file)).toEqual(log.entries)
  expect(splitLogFile('')).toEqual([])
  for (const file of [log.file.slice(0, -1), log.file.slice(0, -2), 'x\n\n'.repeat(257)])
    expect(() => splitLogFile(file)).toThrow(FormatError)
})

test('the entries, proofs and root of the log fit together', () => {
  expect(toBase64(root)).toBe(log.root)
  for (const { index, size, path } of log.inclusion) {
    expect(inclusionProof(index, hashes).map(bytesToHex)).toEqual(path)
    expect(isIncluded({ index, size, leafHash: hashes[index]!, proof: fromHex(path), root })).toBe(true)
  }
  for (const { from, to, path } of log.consistency) {
    const [older, newer] = [
      { size: from, root: rootOf(hashes.slice(0, from)) },
      { size: to, root },
    ]
    expect(isConsistent({ from: older, to: newer, proof: fromHex(path) })).toBe(true)
    expect(consistencyProof(from, hashes).map(bytesToHex)).toEqual(path)
  }
})

test("each day's tree has the figures of its entry and the block hashes of the vectors", () => {
  const days = log.entries.map(parseEntry).filter((entry) => entry.kind === 'day')
  expect(days.map(({ day }) => day)).toEqual(Object.keys(log.leaves))
  for (const { day, states, kinds, earned, nodes } of days) {
    const tree = new DayTree()
    for (const leaf of leavesOf(day)) tree.append(leaf)
    expect({
      states: tree.states,
      kinds: tree.kinds,
      earned: tree.earned,
      nodes: { size: tree.size, root: tree.root() },
    }).toEqual({
      states,
      kinds,
      earned,
      nodes,
    })
    expect(bytesToHex(tree.blockHashes())).toBe(log.dayHashes[day as keyof typeof log.dayHashes].join(''))
  }
})

test.each(log.holders)('the leaves of $email open with the key and the e-mail', ({ email, proofKey, day, earned }) => {
  const holder = { proofKey: hexToBytes(proofKey), emailHash: emailHash(email) }
  const secret = daySecret(holder.proofKey, day)
  const own = leavesOf(day).filter(({ commitment }, index) =>
    equalBytes(nodeCommitment({ secret, day, number: index + 1, emailHash: holder.emailHash }), commitment),
  )
  expect(own.reduce((sum, leaf) => sum + leaf.earned, 0n)).toBe(BigInt(earned))
  expect(vectors.accounts.map(({ account }) => account)).toContain(toBase64(accountHash(holder)))
})

test('a lie is a change that a parser lets pass', () => {
  const texts = log.lies.flatMap((lie) => ('entries' in lie && lie.entries ? Object.values(lie.entries) : []))
  expect(texts.length).toBeGreaterThan(20)
  for (const text of texts) expect(encodeEntry(parseEntry(text))).toBe(text)
})

test('the wallet has signed the text of the vectors', async () => {
  const { address, message, signature } = vectors.wallet
  const signer = await recoverMessageAddress({ message, signature: signature as `0x${string}` })
  expect(signer.toLowerCase()).toBe(address)
  const wallet = address as `0x${string}`
  expect(payingWalletMessage({ origin: 'nodes.example.com/register', genesisHash: hashes[0]!, chain: 20250217, wallet })).toBe(
    message,
  )
  expect(log.entries).toContainEqual(expect.stringContaining(`proof ${signature}\n`))
})

test("the anchor's selectors are those of its functions", () => {
  const { publisher, count, since, anchor } = vectors.anchor
  const selectors = ['publisher()', 'count()', 'since(uint256)', 'anchor(uint64,bytes32)'].map(toFunctionSelector)
  expect(selectors).toEqual([publisher, count, since.slice(0, 10), anchor.slice(0, 10)])
})
