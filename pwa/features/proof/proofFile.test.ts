import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { fromBase64 } from '#shared/register/bytes.ts'
import { DayTree } from '#shared/register/dayTree.ts'
import { freeLeaf, type NodeLeaf } from '#shared/register/nodeLeaf.ts'
import { leafHash, sha256 } from '#shared/register/tree.ts'
import { isIncluded } from '#api/testing/treeProofs.ts'
import { readLeaves } from '#pwa/register/Leaves.ts'
import { RegisterLog } from '#pwa/register/RegisterLog.ts'
import { Report } from '#pwa/register/Report.ts'
import type { DeviceResult } from '#pwa/register/verifyOnDevice.ts'
import { proofFile } from './proofFile.ts'

test('the proof of 200 nodes among 20,000 has the path of each to the root of the day', () => {
  const tree = new DayTree()
  const own: NodeLeaf = { state: 'active', kind: 'paid', commitment: sha256(), earned: 5n }
  const mine = Array.from({ length: 200 }, (_, index) => index * 100 + 1)
  const bytes = concatBytes(...Array.from({ length: 20_000 }, (_, at) => tree.append(mine.includes(at + 1) ? own : freeLeaf)))
  const report = new Report()
  const log = new RegisterLog({ report, readDay: () => Promise.reject(new Error('unused')) })
  log.leaves = readLeaves(bytes, (number) => expect(number).toBeUndefined()).leaves
  const answer = { secret: 'c2VjcmV0', numbers: '1', books: null, entries: [], more: false }
  const result: DeviceResult = {
    verified: { report, log, earned: new Map(mine.map((number) => [number, 5n])), seen: null, note: 'note', hashes: [] },
    stored: { at: '', ticks: [['nodes', { outcome: 'ok', detail: 'all', more: 0 }]], books: null, own: null },
    days: new Map([['2026-11-23', answer]]),
    receipts: ['receipt'],
  }
  const proof = JSON.parse(proofFile(result, 'mara@example.com'))
  expect(proof).toMatchObject({
    format: 'xcr-register/v1',
    day: '2026-11-23',
    secret: 'c2VjcmV0',
    email: 'mara@example.com',
    receipts: ['receipt'],
    ticks: [{ tick: 'nodes', outcome: 'ok', detail: 'all' }],
  })
  expect(Object.keys(proof.leaves)).toHaveLength(200)
  const place = { size: 20_000, root: tree.root() }
  for (const number of mine) {
    const { leaf, path } = proof.leaves[number] as { leaf: string; path: string[] }
    const siblings = path.map((hash) => fromBase64(hash)!)
    expect(isIncluded({ ...place, index: number - 1, leafHash: leafHash(hexToBytes(leaf)), proof: siblings })).toBe(true)
  }
})
