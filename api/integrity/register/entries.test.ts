import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodyOf, encodeEntry, encodeSealed, parseEntry } from '#shared/register/entries.ts'
import { entryForms } from '#shared/register/entryForms.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { entryCommitment, entrySecret, emailHash, messageHash, payoutCommitment, requestOf } from '#shared/register/secrets.ts'
import { leafHash } from '#shared/register/tree.ts'
import { numbers, rangesOf } from '#shared/register/values.ts'
import vectors from './vectors/vectors.json' with { type: 'json' }

const texts = [...vectors.log.entries, ...vectors.entries.map(({ text }) => text)]
const read = (text: string) => {
  try {
    return parseEntry(text)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

test('the vectors have every kind of entry', () => {
  expect(new Set(vectors.log.entries.map((text) => parseEntry(text).kind))).toEqual(new Set(Object.keys(entryForms)))
})

test('every entry is read and written byte for byte', () => {
  for (const text of texts) expect(encodeEntry(parseEntry(text))).toBe(text)
})

test('entries have the leaf hashes of the vectors', () => {
  const hashOf = (text: string) => bytesToHex(leafHash(Buffer.from(text)))
  expect(vectors.log.entries.map(hashOf)).toEqual(vectors.log.hashes)
  expect(vectors.entries.map(({ text }) => hashOf(text))).toEqual(vectors.entries.map(({ hash }) => hash))
})

test.each(vectors.refused)('an entry is refused: $why', ({ text }) => {
  expect(() => parseEntry(text)).toThrow(FormatError)
})

test('a changed entry is refused, or means something else', () => {
  const characters = fc.constantFrom(...Array.from('\n -,:/09afxzAZ=+\u0000\u00E9\u2014'))
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.array(characters, { maxLength: 3 }),
      (text, at, cut, added) => {
        const start = at % (text.length + 1)
        const changed = text.slice(0, start) + added.join('') + text.slice(start + cut)
        const entry = read(changed)
        if (!entry) return
        expect(encodeEntry(entry)).toBe(changed)
        if (changed !== text) expect(entry).not.toEqual(parseEntry(text))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('any bytes are refused without another error', () => {
  const kinds = Object.keys(entryForms).map((kind) => `${kind}/v1\n`)
  fc.assert(
    fc.property(fc.constantFrom('', ...kinds), fc.string({ unit: 'binary', maxLength: 300 }), (head, rest) => {
      expect(read(head + rest)).toBeUndefined()
    }),
  )
})

test('what a reader would refuse is not written', () => {
  const [rate] = texts.map(parseEntry).filter((entry) => entry.kind === 'rate')
  expect(() => encodeEntry({ ...rate!, rate: -1n })).toThrow(FormatError)
  expect(() => encodeEntry({ ...rate!, rate: 2n ** 128n })).toThrow(FormatError)
  expect(() => encodeEntry({ ...rate!, from: new Date('2200-01-01T00:00:00.000Z') })).toThrow(FormatError)
  const [note] = texts.map(parseEntry).filter((entry) => entry.kind === 'note')
  for (const text of ['-', ' x', 'x ', 'two\nlines', '안녕', 'x'.repeat(201)])
    expect(() => encodeEntry({ ...note!, text })).toThrow(FormatError)
  const [payout] = texts.map(parseEntry).filter((entry) => entry.kind === 'payout')
  const { owner: _, ...unsealed } = payout!
  expect(() => encodeSealed({ ...unsealed, net: 0n }, () => Buffer.alloc(32, 1))).toThrow(FormatError)
  expect(() => encodeSealed(unsealed, () => null)).toThrow(FormatError)
  expect(() => encodeSealed(unsealed, () => Buffer.alloc(33))).toThrow(FormatError)
})

test('entries open to their owner', () => {
  for (const { index, email, proofKey, bodyHash, secret, ...payment } of vectors.commitments) {
    const text = vectors.log.entries[index]!
    const entry = parseEntry(text)
    const body = bodyOf(text)
    const opened = { body, secret: entrySecret(hexToBytes(proofKey), body), emailHash: emailHash(email) }
    expect(leafHash(body)).not.toEqual(leafHash(Buffer.from(text)))
    expect(bytesToHex(opened.secret)).toBe(secret)
    if (entry.kind === 'payout') {
      const message = messageHash(payment.message!)
      expect([bytesToHex(message), requestOf(message)]).toEqual([payment.messageHash, entry.request])
      const paid = { ...opened, recipient: payment.recipient as `0x${string}`, messageHash: message }
      expect(encodeSealed(entry, () => payoutCommitment(paid))).toBe(text)
      expect(payoutCommitment({ ...paid, messageHash: null })).not.toEqual(entry.owner)
      expect(payoutCommitment({ ...paid, recipient: `0x${'0'.repeat(40)}` })).not.toEqual(entry.owner)
    } else if (entry.kind === 'deposit' || entry.kind === 'grant') {
      expect(encodeSealed(entry, () => entryCommitment(opened))).toBe(text)
      expect(entryCommitment({ ...opened, emailHash: emailHash(`x${email}`) })).not.toEqual(entry.owner)
    }
    expect(bodyHash).toHaveLength(64)
  }
})

test('numbers have one text', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), (list) => {
      const sorted = list.toSorted((a, b) => a - b)
      const ranges = rangesOf(sorted)
      const text = numbers.write(ranges)
      expect(numbers.read(text)).toEqual(ranges)
      expect(ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index))).toEqual(
        sorted,
      )
    }),
  )
})
