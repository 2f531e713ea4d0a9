import { hexToBytes } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import type { Checkpoint } from '#shared/register/checkpoint.ts'
import { signCheckpoint } from './checkpoint.ts'
import { parseEntry } from '#shared/register/entries.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { encodeLogKeyChange } from './keyChange.ts'
import { formatReceipt, parseReceipt, promisedDay, receiptKeyName } from '#shared/register/receipts.ts'
import { signReceipt } from './receipts.ts'
import { formatKey } from '#shared/register/signedNotes.ts'
import { signerOf, signNote } from './signedNotes.ts'
import { leafHash, rootOf } from '#shared/register/tree.ts'
import { isChangeSigned, openCheckpoint, openNote, openReceipt, parseKey } from '#api/testing/openNotes.ts'
import vectors from './vectors/vectors.json' with { type: 'json' }

const origin = 'nodes.example.com/register'
const seeded = (name: string, byte: number) => signerOf(name, Buffer.alloc(32, byte))
const [logKey, nextLogKey] = [seeded(origin, 0x22), seeded(origin, 0x25)]
const [receiptKey, nextReceiptKey] = [seeded(receiptKeyName(origin), 0x23), seeded(receiptKeyName(origin), 0x24)]
const hashes = vectors.log.hashes.map(hexToBytes)
const genesisHash = hashes[0]!

test('a checkpoint has the bytes of the vectors', () => {
  expect(formatKey(logKey)).toBe('nodes.example.com/register+0d34adb7+AaCapfR6Z1mAL/lV+NwtKhSlyZ0jvpf4ZBJ/+Tg0VaTw')
  const root = hexToBytes('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328')
  const checkpoint: Checkpoint = { origin, size: 8, root }
  expect(signCheckpoint(checkpoint, logKey)).toBe(
    'nodes.example.com/register\n8\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=\n\n' +
      '— nodes.example.com/register DTStt/zdXqI1QwrU9y1EXmUL/6V/p1O+LhnTkJKru6KvsSOVRB8d9GUTsh0QGF8zUk3pZFtO2lBiwjLY+F4I8QD+EAs=\n',
  )
  expect(openCheckpoint(vectors.checkpoint.note, parseKey(vectors.checkpoint.vkey))).toEqual(checkpoint)
})

test('every checkpoint of the example log is signed by the key in force', () => {
  const rotated = vectors.log.entries.findIndex((text) => text.includes('\nuse log\n')) + 1
  for (const { size, note } of vectors.log.checkpoints) {
    const checkpoint = { origin, size, root: rootOf(hashes.slice(0, size)) }
    const [inForce, other] = size < rotated ? [logKey, nextLogKey] : [nextLogKey, logKey]
    expect(openCheckpoint(note, inForce)).toEqual(checkpoint)
    // The first checkpoint after the change is signed by both.
    if (size === rotated) expect(openCheckpoint(note, other)).toEqual(checkpoint)
    else expect(() => openCheckpoint(note, other)).toThrow(FormatError)
    expect(note).toBe(signCheckpoint(checkpoint, inForce, ...(size === rotated ? [other] : [])))
  }
  expect(openCheckpoint(vectors.checkpoints.witnessed, logKey)).toMatchObject({ size: 8 })
  expect(openCheckpoint(vectors.checkpoints.empty, logKey)).toMatchObject({ size: 0, root: rootOf([]) })
})

test.each(vectors.checkpoints.refused)('a checkpoint is refused: $why', ({ note }) => {
  expect(() => openCheckpoint(note, logKey)).toThrow(FormatError)
})

test('receipts are opened and signed byte for byte', () => {
  expect(formatKey(receiptKey)).toBe(vectors.receipts.vkey)
  for (const note of Object.values(vectors.receipts.notes)) {
    const receipt = openReceipt(note, [nextReceiptKey, receiptKey])
    expect(receipt.genesis).toEqual(genesisHash)
    expect(signReceipt(receipt, receiptKey)).toBe(note)
    expect(() => openReceipt(note, [nextReceiptKey])).toThrow(FormatError)
    if ('by' in receipt) expect(receipt.by <= promisedDay(receipt.time)).toBe(true)
  }
})

test.each(vectors.receipts.refused)('a receipt is refused: $why', ({ note }) => {
  expect(() => openReceipt(note, [receiptKey])).toThrow(FormatError)
})

test('a receipt promises a day within 48 hours', () => {
  expect(promisedDay(new Date('2026-11-20T09:00:00.000Z'))).toBe('2026-11-22')
  expect(promisedDay(new Date('2026-11-20T08:59:59.999Z'))).toBe('2026-11-21')
  const receipt = openReceipt(vectors.receipts.notes.grant, [receiptKey])
  expect(() => signReceipt({ ...receipt, by: '2026-11-24' } as typeof receipt, receiptKey)).toThrow(FormatError)
})

test('a note with any flipped bit is refused', () => {
  const note = Buffer.from(vectors.receipts.notes.account)
  for (let bit = 0; bit < note.length * 8; bit++) {
    const changed = Buffer.from(note)
    changed[Math.floor(bit / 8)]! ^= 1 << (bit % 8)
    expect(() => openReceipt(changed.toString(), [receiptKey])).toThrow(FormatError)
  }
})

test('a fuzzed receipt is refused, or is the only text of what it says', () => {
  const texts = Object.values(vectors.receipts.notes).map((note) => note.slice(0, note.lastIndexOf('\n\n') + 1))
  const pieces = [
    ...texts.flatMap((text) => text.split(/(?<=\n)|(?= )|(?<=[,-])/)),
    '',
    '-',
    '0',
    ' ',
    '\n',
    '1-2,4',
    '2026-02-30',
    '٣',
  ]
  // A linear congruential generator, so that every run has the same texts.
  let state = 1
  const below = (end: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * end)
  }
  let readable = 0
  for (let round = 0; round < 5_000; round++) {
    const text = texts[below(texts.length)]!
    const [start, length] = [below(text.length + 1), below(3) === 0 ? 0 : below(20)]
    const fuzzed = text.slice(0, start) + pieces[below(pieces.length)]! + text.slice(start + length)
    try {
      expect(formatReceipt(parseReceipt(fuzzed))).toBe(fuzzed)
      readable++
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
    }
  }
  expect(readable).toBeGreaterThan(10)
})

test('signatures of unknown keys are ignored, and one wrong signature of a known key refuses the note', () => {
  const [stranger, namesake] = [seeded('example.org/witness', 7), seeded(origin, 8)]
  const text = 'one\ntwo\n'
  const keys = [logKey]
  const note = signNote(text, stranger, logKey, namesake)
  expect(openNote(note, { keys, maxBytes: 1_000 })).toEqual({ text, signedBy: [logKey] })
  const lines = note.split('\n')
  const twice = `${note}${lines[4]!.replace(/.(?=.{8}$)/, (char) => (char === 'A' ? 'B' : 'A'))}\n`
  expect(() => openNote(twice, { keys, maxBytes: 1_000 })).toThrow(FormatError)
  expect(() => openNote(note, { keys, maxBytes: note.length })).toThrow(FormatError)
  expect(() => openNote(signNote(text, ...Array(9).fill(stranger)), { keys, maxBytes: 9_000 })).toThrow(FormatError)
})

test('a key has one text', () => {
  expect(vectors.log.keys).toBe([nextLogKey, nextReceiptKey].map((key) => `${formatKey(key)}\n`).join(''))
  for (const key of [logKey, receiptKey]) expect(formatKey(parseKey(formatKey(key)))).toBe(formatKey(key))
  for (const text of ['', 'name', formatKey(logKey).replace('0d34adb7', '0d34adb8'), `${formatKey(logKey)}\n`])
    expect(() => parseKey(text)).toThrow(FormatError)
})

test('a change of the log key is signed by the old key, for one log', () => {
  const text = vectors.log.entries.find((entry) => entry.includes('\nuse log\n'))!
  const change = parseEntry(text)
  if (change.kind !== 'key') throw new Error(text)
  expect(isChangeSigned(text, change, genesisHash)).toBe(true)
  expect(isChangeSigned(text, change, leafHash(Buffer.of()))).toBe(false)
  expect(isChangeSigned(text, { ...change, proof: Buffer.alloc(64) }, genesisHash)).toBe(false)
  expect(isChangeSigned(text, { ...change, proof: null }, genesisHash)).toBe(false)
  expect(encodeLogKeyChange(change, { old: logKey, genesisHash })).toBe(text)
  expect(parseEntry(encodeLogKeyChange(change, { old: null, genesisHash }))).toEqual({ ...change, proof: null })
})
