import { ed25519 } from '@noble/curves/ed25519.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { beforeEach, expect, test, vi } from 'vitest'
import { toBase64, utf8 } from '#shared/register/bytes.ts'
import { formatCheckpoint } from '#shared/register/checkpoint.ts'
import { DayTree } from '#shared/register/dayTree.ts'
import { encodeEntry, encodeSealed } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { keyChangeBytes } from '#shared/register/keyChange.ts'
import { freeLeaf, type NodeLeaf } from '#shared/register/nodeLeaf.ts'
import { daySecret, emailHash, nodeCommitment } from '#shared/register/secrets.ts'
import { keyIdOf } from '#shared/register/signedNotes.ts'
import { BLOCK_SIZE, leafHash, rootOf, sha256 } from '#shared/register/tree.ts'
import { numbers as numbersForm } from '#shared/register/values.ts'
import { checkOwnNodes, type DayAnswer, type OwnCheckOptions } from './checkOwnNodes.ts'
import { each } from './logTypes.ts'
import { RegisterFiles } from './RegisterFiles.ts'

const origin = 'nodes.example.com/register'
const keyOf = (filler: number) => {
  const seed = new Uint8Array(32).fill(filler)
  return { seed, name: origin, key: Uint8Array.of(1, ...ed25519.getPublicKey(seed)) }
}
const [key, nextKey, thirdKey] = [keyOf(0x22), keyOf(0x25), keyOf(0x26)]
const email = 'mara@example.com'
const proofKey = new Uint8Array(32).fill(0x11)
const RATE = 10n ** 19n

const genesis: EntryOf<'genesis'> = {
  kind: 'genesis',
  time: new Date('2026-11-01T00:00:00.000Z'),
  origin,
  clock: 'real',
  payment: { chainId: 56, address: `0x${'5'.repeat(40)}`, decimals: 18 },
  reward: { chainId: 20_250_217, address: `0x${'e'.repeat(40)}`, decimals: 18 },
  anchor: null,
  logKey: key.key,
  receiptKey: key.key,
}

/** The files below /register/. */
let files: Map<string, Uint8Array>
let requested: string[]
/** The leaf hashes of the log; most are of entries that nobody reads here. */
let log: Uint8Array[]

beforeEach(() => {
  files = new Map()
  requested = []
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const path = url.replace('/register/', '')
    requested.push(path)
    const bytes = files.get(path)
    if (!bytes) return new Response(null, { status: 404 })
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('range') ?? '') ?? []
    if (start === undefined) return new Response(Uint8Array.from(bytes))
    return new Response(bytes.slice(Number(start), Number(end) + 1), { status: 206 })
  })
  log = [leafHash(utf8(encodeEntry(genesis)))]
})

/** An entry that replaces the key of the log, signed by the old one or by another. */
function replaceKey(old: typeof key, next: typeof key, signer = old): string {
  const change = { kind: 'key', time: genesis.time, use: 'log', old: old.key, new: next.key } as const
  return encodeSealed(change, (body) => ed25519.sign(keyChangeBytes(leafHash(utf8(encodeEntry(genesis))), body), signer.seed))
}

/** Publishes the log with entries that nobody reads before the given one. */
function publish(size: number, entry: string, signer = key): number {
  while (log.length < size - 1) log.push(sha256(utf8(`entry ${log.length}`)))
  log.push(leafHash(utf8(entry)))
  const text = formatCheckpoint({ origin, size: log.length, root: rootOf(log) })
  const signature = toBase64(concatBytes(keyIdOf(signer), ed25519.sign(utf8(text), signer.seed)))
  files.set('checkpoint', utf8(`${text}\n— ${origin} ${signature}\n`))
  files.set('log/0.txt', utf8(`${encodeEntry(genesis)}\n${'x\n\n'.repeat(60_000)}`))
  files.set('log/hashes.bin', concatBytes(...log))
  const blocks = Array.from({ length: Math.floor(log.length / BLOCK_SIZE) }, (_, block) =>
    rootOf(log.slice(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE)),
  )
  files.set('log/blocks.bin', concatBytes(...blocks))
  return log.length - 1
}

interface Day {
  day: string
  owned: string
  /** What each owned node has earned. */
  earned: bigint
  size: number
  supply?: number
  change?: (leaf: NodeLeaf, number: number) => NodeLeaf
  signer?: typeof key
}

/** Publishes a day, and returns what the site tells the account. */
function publishDay({ day, owned, earned, size, supply = 600, change = (leaf) => leaf, signer }: Day): DayAnswer {
  const secret = daySecret(proofKey, day)
  const mine = new Set(each(numbersForm.read(owned)))
  const tree = new DayTree()
  const bytes = Array.from({ length: supply }, (_, index) => {
    const number = index + 1
    if (!mine.has(number)) return tree.append(freeLeaf)
    const commitment = nodeCommitment({ secret, day, number, emailHash: emailHash(email) })
    return tree.append(change({ state: 'active', kind: 'paid', commitment, earned }, number))
  })
  files.set(`days/${day}.bin`, concatBytes(...bytes))
  files.set(`days/${day}.hashes.bin`, tree.blockHashes())
  const due = new Date(`${day}T09:00:00.000Z`)
  const text = encodeEntry({
    kind: 'day',
    day,
    due,
    paid: due,
    rate: RATE,
    states: tree.states,
    kinds: tree.kinds,
    rewards: RATE * BigInt(tree.states.active),
    corrected: 0n,
    earned: tree.earned,
    nodes: { size: supply, root: tree.root() },
  })
  return { secret: toBase64(secret), numbers: owned, entries: [{ index: publish(size, text, signer), text }] }
}

async function check(day: string, answer: DayAnswer, changes: Partial<OwnCheckOptions> = {}) {
  const reader = new RegisterFiles()
  const result = await checkOwnNodes({
    files: reader,
    host: 'nodes.example.com',
    day,
    answer,
    email,
    seen: null,
    before: null,
    ...changes,
  })
  return { ...result, failed: result.report.named('failed'), received: reader.received + JSON.stringify(answer).length }
}

const [FIRST, SECOND, THIRD] = ['2026-11-23', '2026-11-24', '2026-11-25'] as const

const full = { supply: 20_000 }

test('one run of nodes costs at most 60 kB in a log of 100,000 entries, and each further block at most 17 kB', async () => {
  const one = await check(FIRST, publishDay({ ...full, day: FIRST, owned: '1-12', earned: RATE, size: 99_990 }))
  expect(one.failed).toEqual([])
  expect(one.own).toMatchObject({ day: FIRST, nodes: 12, reward: String(12n * RATE), earned: [['1-12', String(RATE)]] })
  expect(one.received).toBeLessThan(60_000)

  const three = await check(
    SECOND,
    publishDay({ ...full, day: SECOND, owned: '1-12,1000,9000', earned: 2n * RATE, size: 99_998 }),
  )
  expect(three.failed).toEqual([])
  expect(three.received - one.received).toBeLessThan(2 * 17_000)
})

test('the next day, what is unchanged is not fetched again', async () => {
  const { seen, own } = await check(FIRST, publishDay({ day: FIRST, owned: '1-12', earned: RATE, size: 9_990 }))
  const answer = publishDay({ day: SECOND, owned: '1-12', earned: 2n * RATE, size: 10_100 })
  requested = []
  const next = await check(SECOND, answer, { seen, before: own })
  expect(next.report.named('ok')).toEqual(['growth', 'signature', 'nodes', 'rewards'])
  expect(next.own).toMatchObject({ day: SECOND, earned: [['1-12', String(2n * RATE)]] })
  expect(requested).toEqual(['checkpoint', 'log/0.txt', 'log/hashes.bin', `days/${SECOND}.hashes.bin`, `days/${SECOND}.bin`])
  expect(next.received).toBeLessThan(25_000)
  expect(next.seen).toMatchObject({ size: 10_100, root: toBase64(rootOf(log)) })
})

test('a log that grew by much is still proven to begin with the one that was seen', async () => {
  const { seen } = await check(FIRST, publishDay({ day: FIRST, owned: '5', earned: RATE, size: 1_000 }))
  const answer = publishDay({ day: SECOND, owned: '5', earned: 2n * RATE, size: 20_000 })
  const next = await check(SECOND, answer, { seen })
  expect(next.failed).toEqual([])
  expect(next.report.ticks.get('growth')?.outcome).toBe('ok')
  expect(next.received).toBeLessThan(60_000)
  // Its state was put together from blocks, and grows on.
  const last = await check(THIRD, publishDay({ day: THIRD, owned: '5', earned: 3n * RATE, size: 20_010 }), { seen: next.seen })
  expect(last.report.named('ok')).toContain('growth')
})

test('a log that was cut, or forked anywhere, fails growth', async () => {
  const { seen } = await check(FIRST, publishDay({ day: FIRST, owned: '5', earned: RATE, size: 1_000 }))
  for (const [fork, size] of [
    [500, 1_010],
    [999, 1_010],
    [500, 5_000],
    [999, 5_000],
  ] as const) {
    log = log.slice(0, 1_000)
    log[fork] = sha256(utf8('another'))
    const answer = publishDay({ day: SECOND, owned: '5', earned: 2n * RATE, size })
    expect((await check(SECOND, answer, { seen })).failed, `${fork} ${size}`).toEqual(['growth'])
  }
  log = log.slice(0, 900)
  const answer = publishDay({ day: SECOND, owned: '5', earned: 2n * RATE, size: 950 })
  expect((await check(SECOND, answer, { seen })).failed).toEqual(['growth'])
  files.delete('checkpoint')
  expect((await check(SECOND, answer, { seen })).failed).toEqual(['growth'])
})

test('a node of somebody else, a node left out and a reward skipped fail with their tick', async () => {
  const { own, seen } = await check(FIRST, publishDay({ day: FIRST, owned: '1-12', earned: RATE, size: 500 }))
  const lies = [
    { tick: 'nodes', change: (leaf: NodeLeaf) => ({ ...leaf, commitment: sha256(utf8('another')) }) },
    { tick: 'nodes', change: () => freeLeaf },
    { tick: 'rewards', change: (leaf: NodeLeaf) => ({ ...leaf, earned: leaf.earned - 1n }) },
  ]
  for (const [index, { tick, change }] of lies.entries()) {
    const answer = publishDay({
      day: SECOND,
      owned: '1-12',
      earned: 2n * RATE,
      size: 510 + index,
      change: (leaf, number) => (number === 3 ? change(leaf) : leaf),
    })
    const result = await check(SECOND, answer, { seen, before: own })
    expect(result.failed).toEqual([tick])
    expect(result.own).toBeNull()
    expect(result.report.ticks.get('nodes')?.evidence ?? result.report.ticks.get('rewards')?.evidence).toMatch(/^01/)
  }
  // A site that does not show the number any more hides nothing: the device and the receipts know it.
  const answer = publishDay({ day: SECOND, owned: '1-2,4-12', earned: 2n * RATE, size: 520 })
  expect((await check(SECOND, answer, { seen, before: own })).failed).toEqual(['nodes'])
  expect((await check(SECOND, answer, { promised: [{ first: 3, last: 3 }] })).failed).toEqual(['nodes'])
})

test('a day, a genesis or a checkpoint that is not that of the log fails', async () => {
  const answer = publishDay({ day: FIRST, owned: '1-12', earned: RATE, size: 500 })
  const [entry] = answer.entries
  const changed = { ...entry!, text: entry!.text.replace('corrected 0', 'corrected 1') }
  expect((await check(FIRST, { ...answer, entries: [changed] })).failed).toEqual(['nodes'])
  expect((await check(FIRST, { ...answer, entries: [] })).failed).toEqual(['nodes'])
  expect((await check(FIRST, answer, { genesis: toBase64(new Uint8Array(32)) })).failed).toEqual(['signature'])
  const checkpoint = new TextDecoder().decode(files.get('checkpoint'))
  files.set('checkpoint', utf8(checkpoint.replace('\n500\n', '\n499\n')))
  expect((await check(FIRST, answer)).failed).not.toEqual([])
})

test('after a change of the log key the check follows it, from the first entry and from the last visit', async () => {
  const first = publishDay({ day: FIRST, owned: '1-12', earned: RATE, size: 500 })
  const { seen } = await check(FIRST, first)
  const change = replaceKey(key, nextKey)
  const keyEntry = { index: publish(505, change), text: change }
  const second = publishDay({ day: SECOND, owned: '1-12', earned: 2n * RATE, size: 510, signer: nextKey })
  const answer = { ...second, entries: [keyEntry, ...second.entries] }
  const anew = await check(SECOND, answer)
  expect({ failed: anew.failed, signature: anew.report.ticks.get('signature')?.outcome }).toEqual({ failed: [], signature: 'ok' })
  const next = await check(SECOND, answer, { seen })
  expect(next.report.named('ok')).toEqual(['growth', 'signature', 'nodes', 'rewards'])

  // The device remembers the key; the site need not show the change again.
  const third = publishDay({ day: THIRD, owned: '1-12', earned: 3n * RATE, size: 520, signer: nextKey })
  expect((await check(THIRD, third, { seen: next.seen })).failed).toEqual([])
  const old = publishDay({ day: THIRD, owned: '1-12', earned: 3n * RATE, size: 530 })
  expect((await check(THIRD, old, { seen: next.seen })).failed).toEqual(['signature'])
})

test('a key that does not follow from the one before fails the signature', async () => {
  const first = publishDay({ day: FIRST, owned: '1-12', earned: RATE, size: 500 })
  const { seen } = await check(FIRST, first)
  const changes = [
    { what: 'signed by the new key', text: replaceKey(key, nextKey, nextKey) },
    { what: 'replaces a key that was not in force', text: replaceKey(thirdKey, nextKey) },
    { what: 'unsigned', text: replaceKey(key, nextKey).replace(/proof .*/, 'proof -') },
  ]
  for (const { what, text } of changes) {
    const keyEntry = { index: publish(log.length + 5, text), text }
    const second = publishDay({ day: SECOND, owned: '1-12', earned: 2n * RATE, size: log.length + 5, signer: nextKey })
    const answer = { ...second, entries: [keyEntry, ...second.entries] }
    expect((await check(SECOND, answer, { seen })).failed, what).toEqual(['signature'])
  }
  // Nor does one that the log does not have, or that the site does not show.
  const text = replaceKey(key, nextKey)
  const second = publishDay({ day: SECOND, owned: '1-12', earned: 2n * RATE, size: log.length + 5, signer: nextKey })
  expect((await check(SECOND, second, { seen })).failed).toEqual(['signature'])
  const made = { ...second, entries: [{ index: 501, text }, ...second.entries] }
  expect((await check(SECOND, made, { seen })).failed).toEqual(['signature'])
})

test('the register of another site fails the signature', async () => {
  const answer = publishDay({ day: FIRST, owned: '1-12', earned: RATE, size: 500 })
  expect((await check(FIRST, answer, { host: 'other.example' })).failed).toEqual(['signature'])
})

test('a file that is missing is no failure, and nothing is remembered', async () => {
  const answer = publishDay({ day: FIRST, owned: '1-12', earned: RATE, size: 500 })
  for (const path of files.keys()) {
    const all = new Map(files)
    files.delete(path)
    const { failed, own, seen, report } = await check(FIRST, answer)
    if (path !== 'log/blocks.bin' && path !== 'checkpoint') expect(report.named('unknown'), path).not.toEqual([])
    expect({ failed, own, seen }, path).toMatchObject({ failed: [], own: null, seen: null })
    files = all
  }
})
