import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Lie, signCheckpoint, siteLies, toldBy, truth } from '#api/testing/exampleRegister.ts'
import { serveRegister } from '#api/testing/serveRegister.ts'
import vectors from './vectors/vectors.json' with { type: 'json' }
import {
  accountHash,
  bodyHash,
  daySecret,
  emailHash,
  entryCommitment,
  entrySecret,
  isIncluded,
  isPrefix,
  isSignedBy,
  keccak256,
  leafHash,
  main,
  messageHash,
  nodeCommitment,
  type Options,
  parseAnchors,
  parseCheckpoint,
  parseEntry,
  parseLeaf,
  parseReceipt,
  personalHash,
  recoverAddress,
  Refused,
  requestOf,
  rootOf,
  sha256,
  splitLogFile,
  verify,
  walletMessage,
} from './verify.mjs'

const { log } = vectors
const program = path.join(import.meta.dirname, 'verify.mjs')
const fromHex = (text: string) => Buffer.from(text, 'hex')
const genesis = fromHex(log.hashes[0]!).toString('base64')
const hashes = log.hashes.map(fromHex)

let example: Awaited<ReturnType<typeof serveRegister>>
beforeAll(async () => {
  example = await serveRegister()
})
afterAll(() => example.close())

interface HolderLie extends Lie {
  holder?: number
  balance?: string
  receipts?: Record<string, string | null>
}
const lies: HolderLie[] = log.lies
const holderLies: HolderLie[] = log.holderLies
const notes: Record<string, string> = vectors.receipts.notes

/** What a holder of the example knows, with what a lie changes of it. */
function holding(index: number, lie?: HolderLie) {
  const holder = log.holders[index]!
  const known = Object.fromEntries(holder.receipts.map((name): [string, string | null] => [name, notes[name]!]))
  return {
    keys: [fromHex(holder.proofKey)],
    email: holder.email,
    receipts: Object.values({ ...known, ...lie?.receipts }).flatMap((note) => (note ? [parseReceipt(Buffer.from(note))] : [])),
    messages: holder.withdrawals.map(({ message }) => message),
    transfers: holder.transfers,
    balance: BigInt(lie?.balance ?? holder.balance),
  }
}

/** The name and the key; the key's base64 may contain a plus. */
function readVkey(vkey: string): [string, string] {
  const [name = '', id = ''] = vkey.split('+')
  return [name, vkey.slice(name.length + id.length + 2)]
}

const options = (rest: Partial<Options> = {}): Options => ({ ...example.options(), genesis, ...rest })
const outcomes = async (command: Parameters<typeof verify>[0], rest: Partial<Options> = {}) => {
  const report = await verify(command, options(rest))
  return { failed: report.named('failed'), unknown: report.named('unknown'), exitCode: report.exitCode, report }
}

// Known answers

test('it imports nothing but modules of Node', () => {
  const text = readFileSync(program, 'utf8')
  const imported = [...text.matchAll(/^(?:import|export) .*from '(.*)'$/gm)].map(([, name]) => name)
  expect(imported.length).toBeGreaterThan(3)
  expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([])
  expect(text.match(/^import\b/gm)).toHaveLength(imported.length)
  expect(text).not.toMatch(/\bimport\s*\(|\brequire\s*\(|\bcreateRequire\b|\beval\b|new Function/)
})

test('trees and proofs have the known answers', () => {
  const { roots, empty, inclusion_5_of_8, consistency_6_to_8 } = vectors.rfc6962
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  const ct = inputs.map((data) => leafHash(fromHex(data)))
  expect(rootOf([]).toString('hex')).toBe(empty)
  expect(ct.map((_, index) => rootOf(ct.slice(0, index + 1)).toString('hex'))).toEqual(roots)
  expect(isIncluded(5, 8, ct[5]!, inclusion_5_of_8.map(fromHex), rootOf(ct))).toBe(true)
  expect(isPrefix(6, 8, consistency_6_to_8.map(fromHex), rootOf(ct.slice(0, 6)), rootOf(ct))).toBe(true)
  expect(rootOf(hashes).toString('base64')).toBe(log.root)
  for (const { index, size, path: proof } of log.inclusion) {
    expect(isIncluded(index, size, hashes[index]!, proof.map(fromHex), rootOf(hashes))).toBe(true)
    expect(isIncluded(index, size, hashes[index]!, proof.slice(1).map(fromHex), rootOf(hashes))).toBe(false)
  }
  for (const { from, to, path: proof } of log.consistency) {
    const older = rootOf(hashes.slice(0, from))
    expect(isPrefix(from, to, proof.map(fromHex), older, rootOf(hashes))).toBe(true)
    if (from < to) expect(isPrefix(from, to, proof.slice(1).map(fromHex), older, rootOf(hashes))).toBe(false)
  }
})

test('accounts, commitments and leaves have the known answers', () => {
  const [ann] = vectors.accounts
  const key = fromHex(ann!.proofKey)
  expect(daySecret(key, '2026-11-23').toString('hex')).toBe(vectors.leaves.daySecret)
  for (const { email, proofKey, emailHash: e, account } of vectors.accounts) {
    expect(emailHash(` ${email.toUpperCase()} `).toString('hex')).toBe(e)
    expect(accountHash(fromHex(proofKey), emailHash(email))).toBe(account)
  }
  const commitment = nodeCommitment(daySecret(key, '2026-11-23'), '2026-11-23', 1, emailHash(ann!.email))
  expect(parseLeaf(fromHex(vectors.leaves.nodeLeaf1))).toEqual({ state: 2, kind: 1, commitment, earned: 20n * 10n ** 18n })
  for (const one of vectors.commitments) {
    const text = log.entries[one.index]!
    const proofKey = fromHex(one.proofKey)
    expect(bodyHash(text).toString('hex')).toBe(one.bodyHash)
    expect(entrySecret(proofKey, bodyHash(text)).toString('hex')).toBe(one.secret)
    const payment = one.message === undefined ? undefined : { recipient: one.recipient!, message: messageHash(one.message) }
    const owner = /\nowner (.*)\n$/.exec(text)?.[1]
    expect(entryCommitment(proofKey, emailHash(one.email), text, payment)).toBe(owner)
    expect(entryCommitment(proofKey, emailHash(`x${one.email}`), text, payment)).not.toBe(owner)
    if (one.message !== undefined) expect(requestOf(messageHash(one.message))).toBe(one.request)
  }
})

test('keccak-256, recovery and the wallet message have the known answers', () => {
  const hex = (text: string) => keccak256(Buffer.from(text)).toString('hex')
  expect(hex('')).toBe('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
  expect(hex('abc')).toBe('4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45')
  expect(hex('Transfer(address,address,uint256)')).toBe('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
  // The lengths around one block of 136 bytes.
  expect([135, 136, 137].map((length) => hex('a'.repeat(length)).slice(0, 8))).toEqual(['34367dc2', 'a6c4d403', 'd869f639'])
  const { address, message, signature } = vectors.wallet
  const bytes = fromHex(signature.slice(2))
  expect(walletMessage({ origin: 'nodes.example.com/register', genesis, chain: '20250217', wallet: address })).toBe(message)
  expect(recoverAddress(personalHash(message), bytes)).toBe(address)
  expect(recoverAddress(personalHash(`${message} `), bytes)).not.toBe(address)
  const flipped = Buffer.from(bytes)
  flipped[64]! ^= 7
  expect(recoverAddress(personalHash(message), flipped)).not.toBe(address)
  expect(
    [bytes.subarray(1), Buffer.alloc(65), Buffer.alloc(65, 255)].map((one) => recoverAddress(personalHash(message), one)),
  ).toEqual([null, null, null])
})

test('entries of every kind are read, and their hashes are those of the vectors', () => {
  for (const { text, hash } of vectors.entries) {
    expect(parseEntry(text).kind).toBe(text.slice(0, text.indexOf('/')))
    expect(leafHash(Buffer.from(text)).toString('hex')).toBe(hash)
  }
  expect([...(splitLogFile(Buffer.from(log.file), log.entries.length) ?? [])]).toEqual(log.entries)
  expect(splitLogFile(Buffer.from(log.file), log.entries.length + 1)).toBeUndefined()
})

test('every entry, leaf, checkpoint and receipt of the vectors that is to be refused is refused', () => {
  // The vectors hold characters; the verifier reads bytes.
  const bytesOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
  for (const { why, text } of vectors.refused) expect(() => parseEntry(bytesOf(text)), why).toThrow(Refused)
  for (const { why, leaf } of vectors.refusedLeaves) expect(() => parseLeaf(fromHex(leaf)), why).toThrow(Refused)
  const [name, key] = readVkey(vectors.checkpoint.vkey)
  for (const { why, note, because } of vectors.checkpoints.refused) {
    const read = () => parseCheckpoint(Buffer.from(note), name)
    if (because === 'form') expect(read, why).toThrow(Refused)
    else expect(isSignedBy(read().note, name, key), why).toBe(false)
  }
  const [receiptName, receiptKey] = readVkey(vectors.receipts.vkey)
  for (const { why, note, because } of vectors.receipts.refused) {
    const read = () => parseReceipt(Buffer.from(note))
    if (because === 'form') expect(read, why).toThrow(Refused)
    else expect(isSignedBy(read().note, receiptName, receiptKey), why).toBe(false)
  }
  for (const note of [vectors.checkpoint.note, vectors.checkpoints.witnessed, vectors.checkpoints.empty])
    expect(isSignedBy(parseCheckpoint(Buffer.from(note), name).note, name, key)).toBe(true)
  for (const note of Object.values(notes))
    expect(isSignedBy(parseReceipt(Buffer.from(note)).note, receiptName, receiptKey)).toBe(true)
})

test('anchors are decoded as in the vectors', () => {
  const decoded = parseAnchors(fromHex(vectors.anchor.answer.slice(2)))
  expect(decoded.map(({ size, time, root }) => ({ size, time: time / 1000, root: root.toString('hex') }))).toEqual(
    vectors.anchor.anchors,
  )
})

// The example log and its lies

test('the example log verifies', async () => {
  example.tell(truth())
  const { report, failed, unknown, exitCode } = await outcomes('all')
  expect({ failed, unknown, exitCode, nothing: report.named('nothing') }).toEqual({
    failed: [],
    unknown: [],
    exitCode: 0,
    nothing: ['growth', 'release'],
  })
  expect(report.counts).toEqual({ days: 7, nodes: 21, deposits: 6, payouts: 2 })
  for (const date of Object.keys(log.leaves)) expect((await outcomes('day', { day: date })).exitCode).toBe(0)
})

test.each([0, 1])('holder %i of the example verifies', async (index) => {
  example.tell(truth())
  const { report, failed, unknown } = await outcomes('account', { account: holding(index) })
  expect({ failed, unknown, nothing: report.named('nothing') }).toEqual({
    failed: [],
    unknown: [],
    nothing: ['growth', 'release', ...(index === 1 ? ['payouts'] : [])],
  })
})

test('a stranger with the keys of nobody owns nothing', async () => {
  example.tell(truth())
  const account = { ...holding(0), keys: [Buffer.alloc(32, 7)] }
  expect((await outcomes('account', { account })).failed).toEqual(['nodes', 'balance', 'deposits', 'payouts', 'receipts'])
})

test('each lie fails with its tick', async () => {
  const missed: string[] = []
  for (const lie of lies) {
    example.tell(toldBy(lie))
    const { failed } = await outcomes('all')
    if (!failed.includes(lie.tick)) missed.push(`${lie.what}: ${failed.join()} instead of ${lie.tick}`)
  }
  expect(missed).toEqual([])
})

test('each lie of the site to a reader who has seen its log fails with its tick', async () => {
  example.tell(truth())
  const memory = (await outcomes('all')).report.seen!
  const missed: string[] = []
  for (const lie of siteLies) {
    example.tell(toldBy(lie))
    const { failed } = await outcomes('all', { memory })
    if (!failed.includes(lie.tick)) missed.push(`${lie.what}: ${failed.join()} instead of ${lie.tick}`)
  }
  expect(missed).toEqual([])
})

test('each lie to one holder fails with its tick', async () => {
  const missed: string[] = []
  for (const lie of holderLies) {
    example.tell(toldBy(lie))
    const { failed } = await outcomes('account', { account: holding(lie.holder ?? 0, lie) })
    if (!failed.includes(lie.tick)) missed.push(`${lie.what}: ${failed.join()} instead of ${lie.tick}`)
  }
  expect(missed).toEqual([])
})

test('a lie of one cause fails with one tick', async () => {
  const single = [
    'a rate changed without notice',
    'a deposit hidden',
    'bonus beyond the rule',
    'owed one unit less',
    'a kind miscounted',
    'a correction for nodes that waited while they were frozen',
    'a node hidden from a day, and its allocation back-dated',
  ]
  for (const lie of lies.filter(({ what }) => single.includes(what))) {
    example.tell(toldBy(lie))
    expect((await outcomes('all')).failed, lie.what).toEqual([lie.tick])
  }
})

test('a promise that the log already keeps is kept before its day, and one that it does not keep yet is nothing', async () => {
  const outcomeAt = async (size: number) => {
    example.tell(toldBy({ what: '', tick: '', leaves: {}, allEntries: log.entries.slice(0, size) }))
    const account = { ...holding(0), receipts: [parseReceipt(Buffer.from(notes.nodes!))] }
    return (await outcomes('account', { account })).report.ticks.get('receipts')?.outcome
  }
  // The purchase is in the log, and its nodes are in the tree from the second day on. The promise names the third.
  expect(await outcomeAt(11)).toBe('nothing')
  expect(await outcomeAt(13)).toBe('ok')
})

test('each receipt of the example is kept, alone', async () => {
  example.tell(truth())
  for (const note of Object.values(notes)) {
    const { exitCode, report } = await outcomes('receipt', { receipts: [parseReceipt(Buffer.from(note))] })
    expect([exitCode, report.ticks.get('receipts')?.outcome]).toEqual([0, 'ok'])
  }
})

test('another genesis than the pinned one fails the signature', async () => {
  example.tell(truth())
  expect((await outcomes('all', { genesis: sha256(Buffer.from('x')).toString('base64') })).failed).toEqual(['signature'])
})

test('the register of another site fails the signature; a mirror names the site whose register it has', async () => {
  example.tell(truth())
  const mirror = { origin: undefined }
  expect((await outcomes('all', mirror)).failed).toEqual(['signature'])
  // The hash that a page shows is the copied one: it does not make the register that of this site.
  expect((await outcomes('all', { ...mirror, genesis })).failed).toEqual(['signature'])
  expect((await outcomes('all', { origin: 'other.example' })).failed).toEqual(['signature'])
  expect((await outcomes('all', { origin: 'nodes.example.com' })).failed).toEqual([])
  const [first = '', ...others] = log.entries
  example.tell({ ...truth(), entries: [first.replace('clock real', 'clock demo'), ...others] })
  const { report } = await outcomes('all', { origin: undefined, genesis: undefined })
  expect(report.ticks.get('signature')?.detail).not.toContain('the register of')
})

test('a site that answers that it has no register is believed only by who knows of none', async () => {
  example.tell(truth())
  const memory = (await outcomes('all')).report.seen!
  example.override('/register/checkpoint', missing)
  const first = await outcomes('all', { genesis: undefined })
  expect({ failed: first.failed, exitCode: first.exitCode }).toEqual({ failed: [], exitCode: 2 })
  expect(first.report.ticks.get('E1')?.detail).toContain('nothing has been published yet')
  expect((await outcomes('all', { memory, genesis: undefined })).failed).toEqual(['growth'])
  expect((await outcomes('all')).failed).toEqual(['signature'])
})

test('a signed withdrawal that the books had no time to contain is no failure', async () => {
  const books = log.entries.findLast((text) => text.startsWith('books/'))!
  const at = (minutes: number) => new Date(Date.parse(/^time (.*)$/m.exec(books)![1]!) - minutes * 60_000).toISOString()
  const message = (minutes: number) => log.holders[0]!.withdrawals[0]!.message.replace(/Time: \S+/, `Time: ${at(minutes)}`)
  const holder = holding(0)
  const withMessage = (text: string) => ({ account: { ...holder, messages: [...holder.messages, text] } })
  example.tell(truth())
  const late = await outcomes('account', withMessage(message(10)))
  expect([late.failed, late.report.ticks.get('payouts')?.outcome]).toEqual([[], 'nothing'])
  expect((await outcomes('account', withMessage(message(11)))).failed).toEqual(['payouts'])
})

test('a log that was cut or forked since the last visit fails growth', async () => {
  example.tell(truth())
  const { report } = await outcomes('all')
  const memory = report.seen!
  expect((await outcomes('all', { memory })).report.ticks.get('growth')?.outcome).toBe('ok')
  expect((await outcomes('all', { memory: { ...memory, root: sha256().toString('base64') } })).failed).toEqual(['growth'])
  expect((await outcomes('all', { memory: { ...memory, size: 48 } })).failed).toEqual(['growth'])
})

test('anchors beyond the log, of another root, or in another contract fail', async () => {
  const { anchors } = truth()
  const last = anchors.at(-1)!
  for (const lie of [
    [...anchors, { ...last, size: 48 }],
    [...anchors.slice(0, -1), { ...last, root: '00'.repeat(32) }],
    [last, ...anchors],
  ]) {
    example.tell({ ...truth(), anchors: lie })
    expect((await outcomes('all')).failed).toContain('anchors')
  }
  example.tell(truth())
  example.override('/payment', (request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const { method } = JSON.parse(body)
      response.end(
        JSON.stringify({
          result: method === 'eth_chainId' ? '0x38' : method === 'eth_getCode' ? '0x6000' : `0x${'00'.repeat(32)}`,
        }),
      )
    })
  })
  expect((await outcomes('all')).failed).toContain('anchors')
})

test('a log that nobody anchors any more is not fresh', async () => {
  example.tell({ ...truth(), now: Date.parse('2026-11-28T00:00:00.000Z') })
  expect((await outcomes('all')).failed).toEqual(['fresh'])
  example.tell({ ...truth(), anchors: truth().anchors.slice(0, -1), now: Date.parse('2026-11-27T22:00:00.000Z') })
  expect((await outcomes('all')).failed).toEqual(['fresh', 'days'])
})

test('the first books may wait a while for their anchor, which is not green', async () => {
  const size = log.entries.findIndex((text) => text.startsWith('books/')) + 1
  const at = Date.parse(/\ntime (\S+)\n/.exec(log.entries[size - 1]!)![1]!)
  const freshAt = async (hours: number) => {
    const told = toldBy({ what: '', tick: '', leaves: {}, allEntries: log.entries.slice(0, size) })
    example.tell({ ...told, anchors: [], now: at + hours * 3_600_000 })
    const { ticks } = (await outcomes('all')).report
    expect(ticks.get('anchors')?.outcome).toBe('nothing')
    return ticks.get('fresh')?.outcome
  }
  expect(await freshAt(1)).toBe('nothing')
  expect(await freshAt(36)).toBe('failed')
})

test('without an RPC, what it decides is unknown', async () => {
  example.tell(truth())
  const { unknown, failed, exitCode } = await outcomes('all', { rpcs: [], rewardRpcs: [] })
  expect({ unknown, failed, exitCode }).toEqual({
    unknown: ['anchors', 'fresh', 'days', 'notice', 'E6', 'E7'],
    failed: [],
    exitCode: 2,
  })
})

test('without an RPC of the reward chain, the one that the site names is used and named', async () => {
  example.tell(truth())
  example.override('/api/config', (_, response) =>
    response.end(JSON.stringify({ rewardChain: { rpcUrls: [`${example.site}/reward`] } })),
  )
  const { report, exitCode } = await outcomes('all', { rewardRpcs: [] })
  expect(exitCode).toBe(0)
  expect(report.ticks.get('E6')?.detail).toContain('through the RPC that the site names')
})

// Damaged bytes and an adversarial server

const damaged = (bytes: Buffer) =>
  fc
    .record({
      at: fc.nat(bytes.length - 1),
      mask: fc.integer({ min: 1, max: 255 }),
      how: fc.constantFrom('flip', 'cut', 'double', 'swap'),
    })
    .map(({ at, mask, how }) => {
      const changed = Buffer.from(bytes)
      changed[at]! ^= mask
      if (how === 'flip') return changed
      if (how === 'cut') return bytes.subarray(0, at)
      if (how === 'double') return Buffer.concat([bytes, bytes.subarray(at)])
      return Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)])
    })

/** The value, or undefined where it was refused. Any other error fails the test. */
function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

test('damaged entries, notes and leaves are refused or are other well-formed ones, without any other error', () => {
  const entries = [...log.entries, ...vectors.entries.map(({ text }) => text)]
  fc.assert(
    fc.property(
      fc.constantFrom(...entries).chain((text) => damaged(Buffer.from(text))),
      (bytes) => {
        unlessRefused(() => parseEntry(bytes.toString('latin1')))
      },
    ),
    { numRuns: 2_000 },
  )
  const [name, key] = readVkey(vectors.receipts.vkey)
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(notes)).chain((note) => damaged(Buffer.from(note))),
      (bytes) => {
        const receipt = unlessRefused(() => parseReceipt(bytes))
        // A repeated signature line is another well-formed note with the same promise.
        const isSameText = Object.values(notes).some((note) => note.startsWith(`${receipt?.note.text}\n`))
        if (receipt && !isSameText) expect(isSignedBy(receipt.note, name, key)).toBe(false)
        unlessRefused(() => parseCheckpoint(bytes))
      },
    ),
    { numRuns: 300 },
  )
  fc.assert(fc.property(damaged(fromHex(vectors.leaves.nodeLeaf1)), (bytes) => void unlessRefused(() => parseLeaf(bytes))))
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => void unlessRefused(() => parseEntry(text))))
})

test('a damaged file never verifies, and never stops the verifier with an error', async () => {
  const files = example.tell(truth())
  const names = [...files.keys()].filter((name) => files.get(name)!.length > 0)
  const changes = fc.sample(
    fc.constantFrom(...names).chain((name) => damaged(files.get(name)!).map((bytes) => ({ name, bytes }))),
    30,
  )
  for (const { name, bytes } of changes) {
    const original = example.tell(truth()).get(name)!
    example.override(`/register/${name}`, (_, response) => response.end(bytes))
    const { exitCode } = await outcomes('all')
    const isLonger = bytes.length > original.length && bytes.subarray(0, original.length).equals(original)
    const more = bytes.subarray(original.length).toString()
    // A checkpoint may have its last signature twice.
    const isSignedTwice = name === 'checkpoint' && more.startsWith('— ') && original.toString().endsWith(`\n${more}`)
    // A file that grows may be longer than the checkpoint says.
    const isHarmless = isLonger && (name.startsWith('log/') || isSignedTwice)
    expect(exitCode === 0, `${name}, ${bytes.length} bytes`).toBe(isHarmless || bytes.equals(original))
  }
})

test('entries in another order fail', async () => {
  const { entries } = truth()
  const swapped = [...entries.slice(0, 20), entries[21]!, entries[20]!, ...entries.slice(22)]
  const files = example.tell(truth())
  files.set('log/0.txt', Buffer.from(swapped.map((text) => `${text}\n`).join('')))
  expect((await outcomes('all')).failed).toContain('entries')
  files.set('checkpoint', signCheckpoint(swapped))
  expect((await outcomes('all')).failed).toContain('entries')
})

test.each([
  ['numbers above the supply', 'numbers 1-1000000', 'E2'],
  ['more numbers than the supply', 'numbers 1-301', 'E2'],
])('%s end the check before they are expanded', async (_, line, tick) => {
  const entries = truth().entries.map((text) => (text.includes('group 1\n') ? text.replace('numbers 1-12', line) : text))
  example.tell({ ...truth(), entries })
  expect((await outcomes('all')).failed).toContain(tick)
})

const endless = (_: http.IncomingMessage, response: http.ServerResponse): void => {
  const chunk = Buffer.alloc(65_536, 'x')
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}
const silent = (_: http.IncomingMessage, response: http.ServerResponse) => void response.write('x')
const redirect = (_: http.IncomingMessage, response: http.ServerResponse): void => {
  response.writeHead(302, { location: `${example.site}/register/checkpoint` })
  response.end()
}
const missing = (_: http.IncomingMessage, response: http.ServerResponse): void => void response.writeHead(404).end()
const loginPage = (_: http.IncomingMessage, response: http.ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please log in to this network</h1>')
const tooShort = (_: http.IncomingMessage, response: http.ServerResponse) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('x', () => response.socket?.destroy())
}

test.each([
  ['an endless checkpoint', '/register/checkpoint', endless, 'failed', 'signature'],
  ['an endless log file', '/register/log/0.txt', endless, 'failed', 'entries'],
  ['an endless day', '/register/days/2026-11-22.bin', endless, 'failed', 'E1'],
  ['an endless file of hashes', '/register/log/hashes.bin', endless, 'failed', 'entries'],
  ['an endless RPC', '/reward', endless, 'unknown', 'E7'],
  ['a checkpoint that does not end', '/register/checkpoint', silent, 'unknown', 'signature'],
  ['a day that does not end', '/register/days/2026-11-22.bin', silent, 'unknown', 'E1'],
  ['an RPC that does not answer', '/payment', silent, 'unknown', 'anchors'],
  ['a redirect', '/register/checkpoint', redirect, 'unknown', 'signature'],
  ['a redirected RPC', '/payment', redirect, 'unknown', 'E6'],
  ['an answer shorter than its declared length', '/register/log/hashes.bin', tooShort, 'unknown', 'entries'],
  ['a site without the file', '/register/log/0.txt', missing, 'unknown', 'entries'],
  ["a proxy's page in place of a file", '/register/checkpoint', loginPage, 'unknown', 'signature'],
] as const)('%s ends with its tick', async (_, where, answer, outcome, tick) => {
  example.tell(truth())
  example.override(where, answer)
  // Only an answer that never ends has to wait for its time-out.
  const report = await verify('all', options({ timeout: answer === silent ? 500 : 60_000 }))
  expect(report.named(outcome)).toContain(tick)
})

// The command line

const run = async (...args: string[]) => {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args])
    return { code: 0, lines: stdout.trimEnd().split('\n') }
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string }
    return { code, lines: stdout.trimEnd().split('\n') }
  }
}

test('the command line exits with 0, 1, 2 or 64 and ends with what was verified or failed', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'verify-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const receipt = path.join(folder, 'receipt.txt')
  writeFileSync(receipt, notes['nodes']!)
  example.tell(truth())
  const site = ['--site', example.site, '--origin', 'nodes.example.com', '--genesis', genesis]
  const kept = await run('receipt', receipt, ...site)
  expect([kept.code, kept.lines.at(-1)]).toEqual([0, 'verified: 7 days, 17 nodes, 6 deposits, 2 payouts'])
  const unknown = await run('day', '2026-11-23', ...site)
  expect([unknown.code, unknown.lines.at(-2)]).toEqual([2, 'could not look: anchors, days, notice'])
  example.tell(toldBy(lies.find(({ what }) => what === 'a reward is one unit short')!))
  const lied = await run('all', ...site)
  expect([lied.code, lied.lines.at(-1)]).toEqual([1, 'failed: E4, E5'])
  expect(lied.lines.some((line) => /^failed {3}E4 +day 2026-11-26, number 5: earned/.test(line))).toBe(true)
  expect((await run('all')).code).toBe(64)
})

test.each([
  [],
  ['none', '--site', 'http://127.0.0.1:1'],
  ['all', '--site', 'ftp://example.com'],
  ['all', '--site', 'http://127.0.0.1:1', '--origin', 'https://nodes.example.com'],
  ['day', '2026-02-30', '--site', 'http://127.0.0.1:1'],
  ['day', '--site', 'http://127.0.0.1:1'],
  ['account', '--site', 'http://127.0.0.1:1'],
  ['account', '--site', 'http://127.0.0.1:1', '--key', 'x', '--email', 'a@example.com'],
  ['receipt', '/nowhere', '--site', 'http://127.0.0.1:1'],
  ['all', '--site', 'http://127.0.0.1:1', '--unknown'],
])('wrong use exits with 64: %j', async (...args) => {
  const lines: string[] = []
  expect(await main(args, (line) => lines.push(line))).toBe(64)
  expect(lines.join('\n')).toContain('Usage:')
})

test('a memory file remembers the log between visits', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'verify-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const memory = path.join(folder, 'memory.json')
  const lines: string[] = []
  const args = [
    'all',
    '--site',
    example.site,
    '--origin',
    'nodes.example.com',
    '--rpc',
    `${example.site}/payment`,
    '--reward-rpc',
    `${example.site}/reward`,
    '--memory',
    memory,
  ]
  example.tell(truth())
  // The example is of another time than this machine, which leaves `fresh` and so the memory unset; without days it is not.
  const entries = truth().entries.slice(0, 8)
  example.tell({ ...truth(), entries, anchors: [] })
  expect(await main(args, (line) => lines.push(line))).toBe(0)
  expect(JSON.parse(readFileSync(memory, 'utf8'))).toMatchObject({ genesis, size: 8 })
  expect(await main(args, (line) => lines.push(line))).toBe(0)
  expect(lines.filter((line) => line.startsWith('ok       growth'))).toHaveLength(1)
})
