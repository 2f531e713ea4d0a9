#!/usr/bin/env node
// Verifies the public register of a site: its log, its days, its anchors, what the chains show, and the records of one account.
//
//   node verify.mjs all --site https://nodes.example.com --rpc https://bsc.example.org --reward-rpc https://xcr.example.org --genesis <hash>
//
// One file without dependencies for Node 20 or later. It shares no code with the server. Section numbers (§) refer to format.md, which is
// served beside this file. It trusts no server: each answer is read with a limit and a time-out, each form is checked before it is used.
import { createHash, createPublicKey, hkdfSync, verify as verifySignature } from 'node:crypto'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

// ─── Limits (§13) ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const LIMIT = {
  checkpoint: 4_096,
  receipt: 65_536,
  entry: 65_536,
  logFile: 256 * 65_537,
  entries: 10_000_000,
  numbers: 1_000_000,
  days: 84_000,
  signatures: 8,
  proof: 64,
  anchors: 100_000,
  anchorPage: 1_000,
  /** One answer of an RPC. */
  rpcAnswer: 16 * 1_048_576,
  /** Paying wallets; a books entry has no room for more. */
  wallets: 1_500,
}
const BLOCK = 256
const LEAF = 52
const HOUR = 3_600_000
/** A signed withdrawal is accepted until this time after its signature. */
const MESSAGE_AGE = HOUR / 6
const DAY = 24 * HOUR
/** SHA-256 of the runtime code of RegisterAnchor.sol, the publisher's 20 bytes replaced by zeros (§9). */
export const ANCHOR_CODE = 'b2d85759bcb94ebd8804d3d0a3be6daf2d90b6363f83bab5fa0fbf0a53d560e0'

/** Bytes that the format refuses: the tick fails. */
export class Refused extends Error {}
/** No answer, or none that can be used: the tick's outcome is unknown. */
export class Unavailable extends Error {}
/** The site answers that it has no register. */
class NotPublished extends Unavailable {}

function need(condition, why) {
  if (!condition) throw new Refused(why)
}

// ─── Values (§1) ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function amount(text) {
  need(/^(0|[1-9][0-9]{0,38})$/.test(text), 'not an amount')
  const value = BigInt(text)
  need(value < 1n << 128n, 'an amount above the limit')
  return value
}

function positive(text) {
  const value = amount(text)
  need(value > 0n, 'an amount of zero')
  return value
}

export function count(text) {
  need(/^(0|[1-9][0-9]{0,15})$/.test(text), 'not a count')
  const value = Number(text)
  need(Number.isSafeInteger(value), 'a count above the limit')
  return value
}

function number(text) {
  const value = count(text)
  need(value >= 1 && value <= LIMIT.numbers, 'not a number from 1 to 1,000,000')
  return value
}

/** Milliseconds since 1970. */
export function time(text) {
  need(/^(19[7-9][0-9]|20[0-9]{2}|21[0-9]{2})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/.test(text), 'not a time')
  const value = Date.parse(text)
  need(!Number.isNaN(value) && new Date(value).toISOString() === text, 'a time that does not exist')
  return value
}

function day(text) {
  need(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text), 'not a day')
  time(`${text}T00:00:00.000Z`)
  return text
}

const nineOf = (date) => Date.parse(`${date}T09:00:00.000Z`)
const dayAfter = (date) => new Date(Date.parse(`${date}T00:00:00.000Z`) + DAY).toISOString().slice(0, 10)

/** Strict base64 of a fixed number of bytes. */
const base64 = (length) => (text) => {
  need(text.length === Math.ceil(length / 3) * 4 && /^[A-Za-z0-9+/]*={0,2}$/.test(text), 'not base64 of the right length')
  const bytes = Buffer.from(text, 'base64')
  need(bytes.length === length && bytes.toString('base64') === text, 'not canonical base64')
  return bytes
}
const hashBytes = base64(32)
/** A hash is kept as its base64 text, which has one form. */
const hash = (text) => {
  hashBytes(text)
  return text
}

/** Points of small order, by their y: with such a key one signature fits many texts. */
const SMALL_ORDER = new Set([
  `00${'00'.repeat(31)}`,
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
])

function key(text) {
  const bytes = base64(33)(text)
  need(bytes[0] === 1, 'not an Ed25519 key')
  const y = Buffer.from(bytes.subarray(1))
  y[31] &= 0x7f
  need(!SMALL_ORDER.has(y.toString('hex')), 'a key of small order')
  return text
}

const pattern = (expression, what) => (text) => {
  need(expression.test(text), `not ${what}`)
  return text
}
const address = pattern(/^0x[0-9a-f]{40}$/, 'an address')
const word = pattern(/^0x[0-9a-f]{64}$/, 'a transaction or block hash')
const chainId = pattern(/^[1-9][0-9]{0,14}$/, 'a chain id')
const sentence = (text) => {
  need(text !== '-' && /^[!-~]([ -~]{0,198}[!-~])?$/.test(text), 'not a text')
  return text
}

const oneOf = (...choices) => pattern(new RegExp(`^(${choices.join('|')})$`), `one of ${choices.join(', ')}`)
const optional = (read) => (text) => (text === '-' ? null : read(text))
const words =
  (...readers) =>
  (text) => {
    const parts = text.split(' ')
    need(parts.length === readers.length, 'another number of values')
    return parts.map((part, index) => readers[index](part))
  }

/** `<transaction> <ordinal>` is kept as its text, which has one form. */
const transfer = (text) => {
  words(word, count)(text)
  return text
}

const list = (read, keyOf) => (text) => {
  const items = text.split(',').map(read)
  const keys = items.map(keyOf)
  need(
    keys.every((item, index) => index === 0 || keys[index - 1] < item),
    'a list out of order',
  )
  return items
}
const balance = (text) => {
  const parts = text.split(':')
  need(parts.length === 2, 'not a balance')
  return [address(parts[0]), amount(parts[1])]
}
/** Orders transfers by word, then ordinal: all words have one length, and no count has more than 16 digits. */
const transferOrder = (text) => `${text.slice(0, 67)}${text.slice(67).padStart(16, '0')}`

function range(text) {
  const parts = text.split('-')
  need(parts.length <= 2, 'not a range')
  const [first, last = first] = parts.map(number)
  need(parts.length === 1 || last > first, 'a range that does not rise')
  return [first, last]
}

/** Ranges [first, last] of numbers; they are counted before anything expands them. */
export function numbers(text) {
  const ranges = text.split(',').map(range)
  need(
    ranges.every(([first], index) => index === 0 || first > ranges[index - 1][1] + 1),
    'numbers out of order or not merged',
  )
  return ranges
}
export const sizeOf = (ranges) => ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
const textOf = (ranges) => ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
function* each(ranges) {
  for (const [first, last] of ranges) for (let n = first; n <= last; n++) yield n
}

function credits(text) {
  const items = text.split(',').map((part) => {
    const [span, value, ...rest] = part.split(':')
    need(value !== undefined && rest.length === 0, 'not a credit')
    return { range: range(span), each: positive(value) }
  })
  for (const [
    index,
    {
      range: [first],
      each: value,
    },
  ] of items.entries()) {
    if (index === 0) continue
    const before = items[index - 1]
    need(first > before.range[1], 'credits out of order')
    need(first > before.range[1] + 1 || value !== before.each, 'credits not merged')
  }
  return items
}

// ─── Trees (§2) ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const LEAF_PREFIX = Buffer.from([0])
const NODE_PREFIX = Buffer.from([1])

export function sha256(...parts) {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}
export const leafHash = (data) => sha256(LEAF_PREFIX, data)
const nodeHash = (left, right) => sha256(NODE_PREFIX, left, right)

/** A growing tree: the roots of its complete subtrees, the largest first. */
export class Tree {
  size = 0
  stack = []

  append(leaf) {
    this.stack.push(leaf)
    this.size++
    for (let n = this.size; n % 2 === 0; n /= 2) {
      const right = this.stack.pop()
      this.stack.push(nodeHash(this.stack.pop(), right))
    }
  }

  root() {
    if (this.size === 0) return sha256()
    return this.stack.reduceRight((right, left) => nodeHash(left, right))
  }
}

export function rootOf(hashes) {
  const tree = new Tree()
  for (const item of hashes) tree.append(item)
  return tree.root()
}

/** RFC 9162 §2.1.3.2. */
export function isIncluded(index, size, leaf, proof, root) {
  if (index >= size || proof.length > LIMIT.proof) return false
  let [fn, sn, r] = [index, size - 1, leaf]
  for (const p of proof) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      r = nodeHash(p, r)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
    } else r = nodeHash(r, p)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  return sn === 0 && r.equals(root)
}

/** RFC 9162 §2.1.4.2. */
export function isPrefix(first, second, proof, firstRoot, secondRoot) {
  if (first === second) return proof.length === 0 && firstRoot.equals(secondRoot)
  if (first < 1 || first > second || proof.length === 0 || proof.length > LIMIT.proof) return false
  const isPowerOfTwo = Number.isInteger(Math.log2(first))
  const [start, ...rest] = isPowerOfTwo ? [firstRoot, ...proof] : proof
  let [fn, sn, fr, sr] = [first - 1, second - 1, start, start]
  while (fn % 2 === 1) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  for (const p of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      ;[fr, sr] = [nodeHash(p, fr), nodeHash(p, sr)]
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
    } else sr = nodeHash(sr, p)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  return sn === 0 && fr.equals(firstRoot) && sr.equals(secondRoot)
}

// ─── Secrets and commitments (§3) ──────────────────────────────────────────────────────────────────────────────────────────────────────

const ascii = (text) => Buffer.from(text, 'latin1')
const bytesOf = (address) => Buffer.from(address.slice(2), 'hex')
const secretOf = (proofKey, label) =>
  Buffer.from(hkdfSync('sha256', proofKey, Buffer.alloc(0), ascii(`xcr-register/v1 ${label}`), 32))

export const emailHash = (email) => sha256(Buffer.from(email.trim().normalize('NFC').toLowerCase(), 'utf8'))
export const accountHash = (proofKey, e) => sha256(ascii('xcr-register/account/v1\n'), proofKey, e).toString('base64')
export const daySecret = (proofKey, date) => secretOf(proofKey, `day ${date}`)
export function nodeCommitment(secret, date, n, e) {
  const u32 = Buffer.alloc(4)
  u32.writeUInt32BE(n)
  return sha256(ascii('xcr-register/node/v1\n'), secret, ascii(date), u32, e)
}
/** H: the hash of an entry without its last line. */
export const bodyHash = (text) => sha256(ascii(text.slice(0, text.lastIndexOf('\nowner ') + 1)))
export const entrySecret = (proofKey, h) => secretOf(proofKey, `entry ${h.toString('base64')}`)
/** `payment` is { recipient, message }: M, the hash of the signed message, or null where it is lost. */
export function entryCommitment(proofKey, e, text, payment) {
  const h = bodyHash(text)
  const parts = [entrySecret(proofKey, h), h, e]
  if (!payment) return sha256(ascii('xcr-register/entry/v1\n'), ...parts).toString('base64')
  return sha256(
    ascii('xcr-register/payout/v1\n'),
    ...parts,
    bytesOf(payment.recipient),
    payment.message ?? Buffer.alloc(32),
  ).toString('base64')
}
export const messageHash = (message) => sha256(Buffer.from(message, 'utf8'))
export const requestOf = (message) => sha256(ascii('xcr-register/request/v1\n'), message).toString('base64')

// ─── Node leaves (§4) ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const [FREE, WAITING, ACTIVE, FROZEN] = [0, 1, 2, 3]
const [PAID, BONUS, GRANTED] = [1, 2, 3]
const STATES = ['free', 'waiting', 'active', 'frozen']
const KINDS_OF_NODES = ['none', 'paid', 'bonus', 'granted']
const FREE_LEAF = Buffer.concat([Buffer.from([1]), Buffer.alloc(LEAF - 1)])
const FREE_HASH = leafHash(FREE_LEAF)

export function parseLeaf(bytes) {
  need(bytes.length === LEAF, 'a leaf of another length')
  const [version, state, kind, reserved] = bytes
  need(version === 1 && state <= 3 && kind <= 3 && reserved === 0, 'not a leaf')
  const commitment = bytes.subarray(4, 36)
  const earned = (bytes.readBigUInt64BE(36) << 64n) | bytes.readBigUInt64BE(44)
  if (state === FREE) need(bytes.equals(FREE_LEAF), 'a free leaf with other bytes')
  else need(kind !== 0 && commitment.some((byte) => byte !== 0), 'an owned leaf without a kind or a commitment')
  return { state, kind, commitment, earned }
}

/** The leaves of one day. */
class Leaves {
  constructor(bytes) {
    this.bytes = bytes
    this.size = bytes.length / LEAF
  }

  raw(n) {
    return this.bytes.subarray((n - 1) * LEAF, n * LEAF)
  }

  state(n) {
    return n <= this.size ? this.bytes[(n - 1) * LEAF + 1] : FREE
  }

  kind(n) {
    return n <= this.size ? this.bytes[(n - 1) * LEAF + 2] : 0
  }

  earned(n) {
    return n <= this.size ? parseLeaf(this.raw(n)).earned : 0n
  }
}
const NO_LEAVES = new Leaves(Buffer.alloc(0))

// ─── Entries (§5) ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const setting = (name, read) => [
  ['time', time],
  ['from', time],
  [name, read],
]
const group = optional((text) => {
  const value = count(text)
  need(value > 0, 'group 0')
  return value
})
const GROUP = [
  ['group', group],
  ['numbers', optional(numbers)],
]
const TIMES = [
  ['allocated', optional(time)],
  ['active', optional(time)],
]
const FIGURES = ['open', 'balances', 'owed', 'received', 'counted', 'review', 'refunded', 'ignored', 'orphaned', 'returned']
const RECEIVED = ['counted', 'review', 'refunded', 'ignored', 'orphaned']

const FORMS = {
  genesis: [
    ['time', time],
    ['origin', pattern(/^[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?\/register$/, 'an origin')],
    ['clock', oneOf('real', 'demo')],
    ['payment', words(chainId, address, count)],
    ['reward', words(chainId, address, count)],
    ['anchor', optional(words(chainId, address))],
    ['log-key', key],
    ['receipt-key', key],
  ],
  day: [
    ['day', day],
    ['due', time],
    ['paid', time],
    ['rate', amount],
    ['states', words(count, count, count, count)],
    ['kinds', words(count, count, count, count)],
    ['rewards', amount],
    ['corrected', amount],
    ['earned', amount],
    ['nodes', words(number, hash)],
  ],
  books: [
    ['day', day],
    ['time', time],
    ['earned', amount],
    ['debts', amount],
    ['completed', words(amount, amount)],
    ...FIGURES.map((name) => [name, amount]),
    ['payment-block', optional(words(count, word, time))],
    ['reward-block', optional(words(count, word, time))],
    ['addresses', optional(list(address, (item) => item))],
    ['reserve', optional(list(balance, ([item]) => item))],
  ],
  deposit: [
    ['time', time],
    ['transfer', transfer],
    ['block', optional(words(count, count))],
    ['mined', optional(time)],
    ['amount', positive],
    ['decision', oneOf('counted', 'review', 'refunded', 'ignored', 'orphaned', 'vanished')],
    ['reason', optional(pattern(/^[a-z_]+$/, 'a reason'))],
    ...GROUP,
    ['price', optional(positive)],
    ['priced', optional(time)],
    ...TIMES,
    ['refund', optional(transfer)],
    ['returned', optional(positive)],
    ['owner', optional(hash)],
  ],
  payout: [
    ['time', time],
    ['state', oneOf('accepted', 'paid', 'elsewhere', 'refunded', 'booked', 'sweep', 'foreign')],
    ['transfer', optional(transfer)],
    ['wallet', optional(address)],
    ['net', positive],
    ['fee', amount],
    ['request', optional(hash)],
    ['owner', optional(hash)],
  ],
  grant: [['time', time], ['cause', oneOf('rule', 'hand', 'unpaid', 'gift')], ...GROUP, ...TIMES, ['owner', hash]],
  rate: setting('rate', amount),
  price: setting('price', positive),
  fee: setting('fee', amount),
  supply: setting('supply', number),
  address: [
    ['time', time],
    ['role', oneOf('deposit', 'wallet', 'anchor')],
    ['chain', chainId],
    ['address', address],
    ['block', count],
    ['proof', optional(pattern(/^0x([0-9a-f]{2}){1,1024}$/, 'a proof'))],
  ],
  correction: [
    ['time', time],
    ['missed', day],
    ['reason', oneOf('thawed', 'error')],
    ['credits', credits],
  ],
  note: [
    ['time', time],
    ['topic', oneOf('sales-stopped', 'sales-resumed', 'message', 'caught-up', 'held', 'wrong')],
    ['subject', optional(pattern(/^[!-~]{1,20}$/, 'a subject'))],
    ['text', optional(sentence)],
  ],
  key: [
    ['time', time],
    ['use', oneOf('log', 'receipt', 'proof')],
    ['old', (text) => text],
    ['new', optional(key)],
    ['proof', optional(base64(64))],
  ],
  release: [
    ['time', time],
    ['verify', hash],
    ['page', hash],
    ['format', hash],
  ],
}
const REASONS = {
  counted: ['matched', 'decision', 'owed'],
  review: ['underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'],
  refunded: ['full', 'partial'],
  ignored: ['dust', 'decision'],
  orphaned: ['counted', 'review', 'refunded', 'ignored'],
  vanished: [null],
}
const SUBJECTS = { 'caught-up': day, held: pattern(/^E[1-8]$/, 'an equation'), wrong: count }

/** Requires that values are all present, or all absent. */
function exactly(entry, isPresent, ...names) {
  for (const name of names) need((entry[name] !== null) === isPresent, `${name} must ${isPresent ? '' : 'not '}be present`)
}

function checkGroup(entry) {
  exactly(entry, true, 'group', 'numbers', 'allocated', 'active')
  need(
    entry.allocated <= entry.active && entry.active <= entry.allocated + DAY,
    'active is not within 24 hours of the allocation',
  )
}

/** What one entry must satisfy by itself, beyond the form of its lines. */
const RULES = {
  deposit(e) {
    need(REASONS[e.decision].includes(e.reason), 'a reason of another decision')
    exactly(e, e.decision !== 'orphaned' && e.decision !== 'vanished', 'block', 'mined')
    if (e.decision === 'counted' || e.reason === 'counted') {
      checkGroup(e)
      exactly(e, true, 'price', 'priced', 'owner')
    } else exactly(e, false, 'group', 'numbers', 'price', 'priced', 'allocated', 'active')
    const isRefunded = e.decision === 'refunded' || e.reason === 'refunded'
    exactly(e, isRefunded, 'refund', 'returned')
    if (isRefunded) need(e.returned <= e.amount, 'a refund above the payment')
    if (e.decision === 'refunded')
      need(e.returned < e.amount === (e.reason === 'partial'), 'a reason that does not fit the refund')
  },
  payout(e) {
    const isOurs = e.state === 'sweep' || e.state === 'foreign'
    exactly(e, e.state !== 'accepted' && e.state !== 'refunded', 'transfer')
    exactly(e, isOurs || e.state === 'paid' || e.state === 'booked', 'wallet')
    exactly(e, !isOurs && e.state !== 'booked', 'request')
    exactly(e, !isOurs, 'owner')
    if (isOurs) need(e.fee === 0n, 'a fee')
  },
  grant: checkGroup,
  address(e) {
    exactly(e, e.role === 'wallet', 'proof')
  },
  note(e) {
    const subject = SUBJECTS[e.topic]
    exactly(e, subject !== undefined, 'subject')
    subject?.(e.subject)
    if (e.topic === 'message') exactly(e, true, 'text')
  },
  key(e) {
    if (e.use === 'proof') {
      hash(e.old)
      exactly(e, false, 'new', 'proof')
    } else {
      need(e.new !== null && key(e.old) !== e.new, 'the new key is the old one')
      if (e.use === 'receipt') exactly(e, false, 'proof')
    }
  },
  books(e) {
    for (const name of ['payment-block', 'reward-block'])
      need(e[name] === null || e[name][2] <= e.time, `${name} after the books`)
  },
}

function parseLines(text, form) {
  need(text.endsWith('\n') && /^[\n -~]*$/.test(text), 'bytes that no entry has')
  const rows = text.slice(0, -1).split('\n')
  need(rows.length === form.length, 'another number of lines')
  const entry = {}
  for (const [index, [name, read]] of form.entries()) {
    need(rows[index].startsWith(`${name} `), `no line ${name} where it belongs`)
    try {
      entry[name] = read(rows[index].slice(name.length + 1))
    } catch (error) {
      throw error instanceof Refused ? new Refused(`${name}: ${error.message}`) : error
    }
  }
  return entry
}

/** `text` has one character for each byte. */
export function parseEntry(text) {
  need(text.length <= LIMIT.entry, 'an entry above 65,536 bytes')
  const end = text.indexOf('\n')
  const [, kind] = /^([a-z]+)\/v1$/.exec(text.slice(0, end)) ?? []
  need(end > 0 && kind !== undefined && Object.hasOwn(FORMS, kind), 'an unknown kind or version')
  const entry = { kind, ...parseLines(text.slice(end + 1), FORMS[kind]) }
  RULES[kind]?.(entry)
  return entry
}

// ─── Signed notes, checkpoints, receipts (§7, §8) ──────────────────────────────────────────────────────────────────────────────────────

const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const publicKeyOf = (text) =>
  createPublicKey({ key: Buffer.concat([ED25519_PREFIX, base64(33)(text).subarray(1)]), format: 'der', type: 'spki' })
const isSigned = (data, keyText, signature) =>
  signature.length === 64 && verifySignature(null, data, publicKeyOf(keyText), signature)
export const keyId = (name, keyText) => sha256(Buffer.from(`${name}\n`, 'utf8'), base64(33)(keyText)).subarray(0, 4)

/** `bytes` are those of the file; returns the text and the signature lines. */
export function parseNote(bytes, limit) {
  need(bytes.length <= limit, 'a note above its limit')
  const whole = bytes.toString('utf8')
  need(Buffer.from(whole, 'utf8').equals(bytes) && whole.endsWith('\n'), 'not a note')
  const gap = whole.lastIndexOf('\n\n')
  need(gap >= 0, 'a note without signatures')
  const text = whole.slice(0, gap + 1)
  need(/^[\n -~]*$/.test(text) && !text.includes('\n\n') && !text.startsWith('\n'), 'a note with other bytes in its text')
  const rows = whole.slice(gap + 2, -1).split('\n')
  need(rows.length <= LIMIT.signatures, 'more than 8 signatures')
  const signatures = rows.map((row) => {
    const [, name, data] = /^\u2014 ([!-*,-~]+) ([A-Za-z0-9+/]+={0,2})$/.exec(row) ?? []
    need(data !== undefined, 'not a signature line')
    const decoded = Buffer.from(data, 'base64')
    need(decoded.length >= 5 && decoded.toString('base64') === data, 'not the base64 of a signature')
    return { name, id: decoded.subarray(0, 4), signature: decoded.subarray(4) }
  })
  return { text, signatures }
}

/** At least one line is of this key, and each line of this key verifies. */
export function isSignedBy({ text, signatures }, name, keyText) {
  const id = keyId(name, keyText)
  const own = signatures.filter((line) => line.name === name && line.id.equals(id))
  return own.length > 0 && own.every(({ signature }) => isSigned(Buffer.from(text, 'utf8'), keyText, signature))
}

export function parseCheckpoint(bytes, origin) {
  const note = parseNote(bytes, LIMIT.checkpoint)
  const rows = note.text.slice(0, -1).split('\n')
  need(rows.length === 3, 'a checkpoint of more or fewer than three lines')
  if (origin !== undefined) need(rows[0] === origin, 'a checkpoint of another origin')
  for (const { name, signature } of note.signatures)
    need(name !== rows[0] || signature.length === 64, "a signature of another length under the log's name")
  return { note, origin: rows[0], size: count(rows[1]), root: hashBytes(rows[2]) }
}

const RECEIPTS = {
  account: [
    ['genesis', hash],
    ['time', time],
    ['account', hash],
  ],
  nodes: [
    ['genesis', hash],
    ['time', time],
    ['account', hash],
    ['cause', oneOf('deposit', 'unpaid', 'grant')],
    ['numbers', numbers],
    ['active', time],
    ['price', optional(positive)],
    ['transfers', optional(list(transfer, transferOrder))],
    ['by', day],
  ],
  withdrawal: [
    ['genesis', hash],
    ['time', time],
    ['account', hash],
    ['net', positive],
    ['fee', amount],
    ['recipient', address],
    ['message', hashBytes],
    ['by', day],
  ],
}

export function parseReceipt(bytes) {
  const note = parseNote(bytes, LIMIT.receipt)
  const end = note.text.indexOf('\n')
  const [, kind] = /^receipt\/([a-z]+)\/v1$/.exec(note.text.slice(0, end)) ?? []
  need(kind !== undefined && Object.hasOwn(RECEIPTS, kind), 'an unknown kind of receipt')
  const receipt = { kind, note, ...parseLines(note.text.slice(end + 1), RECEIPTS[kind]) }
  if (kind === 'nodes') {
    exactly(receipt, receipt.cause === 'deposit', 'transfers')
    exactly(receipt, receipt.cause !== 'grant', 'price')
  }
  if (kind !== 'account') {
    const due = nineOf(receipt.by)
    need(receipt.time <= due && due <= receipt.time + 2 * DAY, 'a promise that is not within 48 hours')
  }
  return receipt
}

// ─── Wallet signatures (§5.1 address/v1): keccak-256 (FIPS 202 with the older padding) and secp256k1 (SEC 1, SEC 2) ────────────────────

const MASK64 = (1n << 64n) - 1n
const ROUNDS = [
  0x1n,
  0x8082n,
  0x800000000000808an,
  0x8000000080008000n,
  0x808bn,
  0x80000001n,
  0x8000000080008081n,
  0x8000000000008009n,
  0x8an,
  0x88n,
  0x80008009n,
  0x8000000an,
  0x8000808bn,
  0x800000000000008bn,
  0x8000000000008089n,
  0x8000000000008003n,
  0x8000000000008002n,
  0x8000000000000080n,
  0x800an,
  0x800000008000000an,
  0x8000000080008081n,
  0x8000000000008080n,
  0x80000001n,
  0x8000000080008008n,
]
const rotate = (lane, by) => (by === 0n ? lane : ((lane << by) | (lane >> (64n - by))) & MASK64)

/** One permutation of 25 lanes; lane (x, y) is lanes[x + 5y]. */
function keccakF(lanes) {
  for (const constant of ROUNDS) {
    const columns = [0, 1, 2, 3, 4].map((x) => lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20])
    for (let i = 0; i < 25; i++) lanes[i] ^= columns[(i + 4) % 5] ^ rotate(columns[(i + 1) % 5], 1n)
    // Rotate each lane and move it from (x, y) to (y, 2x + 3y).
    const moved = [...lanes]
    for (let step = 0, x = 1, y = 0; step < 24; step++) {
      const target = (2 * x + 3 * y) % 5
      moved[y + 5 * target] = rotate(lanes[x + 5 * y], BigInt((((step + 1) * (step + 2)) / 2) % 64))
      ;[x, y] = [y, target]
    }
    for (let i = 0; i < 25; i++) {
      const row = i - (i % 5)
      lanes[i] = moved[i] ^ (~moved[row + ((i + 1) % 5)] & MASK64 & moved[row + ((i + 2) % 5)])
    }
    lanes[0] ^= constant
  }
}

export function keccak256(data) {
  const rate = 136
  const padded = Buffer.concat([data, Buffer.alloc(rate - (data.length % rate))])
  padded[data.length] ^= 0x01
  padded[padded.length - 1] ^= 0x80
  const lanes = Array.from({ length: 25 }, () => 0n)
  for (let offset = 0; offset < padded.length; offset += rate) {
    for (let i = 0; i < rate / 8; i++) lanes[i] ^= padded.readBigUInt64LE(offset + 8 * i)
    keccakF(lanes)
  }
  const digest = Buffer.alloc(32)
  for (let i = 0; i < 4; i++) digest.writeBigUInt64LE(lanes[i], 8 * i)
  return digest
}

const P = 2n ** 256n - 2n ** 32n - 977n
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const G = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
]
const mod = (value, m) => ((value % m) + m) % m

function power(base, exponent, m) {
  let result = 1n
  for (let b = mod(base, m), e = exponent; e > 0n; e >>= 1n, b = (b * b) % m) if (e & 1n) result = (result * b) % m
  return result
}
/** The extended Euclidean algorithm. */
function inverse(value, prime) {
  let [a, b, x, y] = [mod(value, prime), prime, 1n, 0n]
  while (a > 1n) {
    const quotient = b / a
    ;[a, b, x, y] = [b - quotient * a, a, y - quotient * x, x]
  }
  return mod(x, prime)
}

/** Adds two points in affine coordinates; null is the point at infinity. */
function addPoints(a, b) {
  if (a === null) return b
  if (b === null) return a
  const isSame = a[0] === b[0]
  if (isSame && mod(a[1] + b[1], P) === 0n) return null
  const slope = isSame ? 3n * a[0] * a[0] * inverse(2n * a[1], P) : (b[1] - a[1]) * inverse(b[0] - a[0], P)
  const x = mod(slope * slope - a[0] - b[0], P)
  return [x, mod(slope * (a[0] - x) - a[1], P)]
}

function multiply(point, scalar) {
  let result = null
  for (let p = point, k = mod(scalar, N); k > 0n; k >>= 1n, p = addPoints(p, p)) if (k & 1n) result = addPoints(result, p)
  return result
}

const integer = (bytes) => BigInt(`0x${bytes.toString('hex')}`)
const hex32 = (value) => value.toString(16).padStart(64, '0')

export function personalHash(message) {
  const data = Buffer.from(message, 'utf8')
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${data.length}`, 'utf8'), data]))
}

/** The address that signed a 32-byte hash (SEC 1 §4.1.6), or null. `signature` is r ‖ s ‖ v. */
export function recoverAddress(digest, signature) {
  if (signature.length !== 65) return null
  const [r, s, v] = [integer(signature.subarray(0, 32)), integer(signature.subarray(32, 64)), signature[64]]
  if (r === 0n || r >= N || s === 0n || s >= N || (v !== 27 && v !== 28)) return null
  const square = mod(r * r * r + 7n, P)
  // P is 3 modulo 4.
  const root = power(square, (P + 1n) / 4n, P)
  if ((root * root) % P !== square) return null
  const y = (root & 1n) === BigInt(v - 27) ? root : P - root
  const inverseR = inverse(r, N)
  const point = addPoints(multiply([r, y], s * inverseR), multiply(G, -integer(digest) * inverseR))
  if (point === null) return null
  return `0x${keccak256(Buffer.from(hex32(point[0]) + hex32(point[1]), 'hex'))
    .subarray(12)
    .toString('hex')}`
}

export const walletMessage = ({ origin, genesis, chain, wallet }) =>
  `${origin} pays XCR from this wallet.\n\nGenesis: ${genesis}\nChain: ${chain}\nWallet: ${wallet}`

// ─── Files (§10) ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Text from elsewhere, fit for a terminal. */
const plain = (text) =>
  String(text)
    .replace(/[^ -~]/g, '?')
    .slice(0, 200)

/**
 * Reads an answer with a limit and a time-out for the whole of it. Beyond `enough` bytes the rest is not read; beyond `limit` bytes the
 * answer is refused. Redirects are not followed.
 */
async function download(url, { limit, enough = Infinity, timeout, ...request }) {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeout)
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal: abort.signal })
    if (response.status === 404) throw new NotPublished(`${url} does not exist`)
    if (response.status !== 200) throw new Unavailable(`${url} answered with status ${response.status}`)
    if (response.headers.get('content-type')?.startsWith('text/html')) throw new Unavailable(`${url} answered with a page`)
    const chunks = []
    let length = 0
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      length += chunk.length
      if (length > limit) throw new Refused(`${url} has more than ${limit} bytes`)
      if (length >= enough) break
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof Refused || error instanceof Unavailable) throw error
    const why = abort.signal.aborted
      ? `no complete answer within ${timeout / 1000} s`
      : plain(error.cause?.message ?? error.message)
    throw new Unavailable(`${url}: ${why}`)
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
}

class Site {
  constructor(site, timeout) {
    this.base = site.replace(/\/+$/, '')
    this.timeout = timeout
  }

  file(path, options) {
    return download(`${this.base}/register/${path}`, { timeout: this.timeout, ...options })
  }

  /** A file that grows: the bytes of which `take` makes something, fetched once more past all caches if they do not suffice. */
  async growing(path, limit, take, enough) {
    for (const headers of [{}, { 'cache-control': 'no-cache', pragma: 'no-cache' }]) {
      const taken = take(await this.file(path, { limit, enough, headers }))
      if (taken) return taken
    }
    throw new Unavailable(`${this.base}/register/${path} is shorter than the checkpoint says`)
  }

  checkpoint() {
    return this.file('checkpoint', { limit: LIMIT.checkpoint, headers: { 'cache-control': 'no-cache' } })
  }

  /** The first `size` hashes of 32 bytes. */
  async hashes(path, size) {
    if (size === 0) return []
    const wanted = size * 32
    // The limit leaves room for the chunk in which the wanted bytes end.
    const take = (bytes) => bytes.length >= wanted && bytes.subarray(0, wanted)
    const bytes = await this.growing(path, wanted + 4 * 1_048_576, take, wanted)
    return Array.from({ length: size }, (_, i) => bytes.subarray(i * 32, i * 32 + 32))
  }

  /** The first `wanted` entries of a log file. */
  async entries(file, wanted, isComplete) {
    return this.growing(`log/${file}.txt`, LIMIT.logFile, (bytes) => {
      const texts = splitLogFile(bytes, wanted)
      if (texts === undefined) return undefined
      need(!isComplete || texts.end === bytes.length, `log/${file}.txt has bytes after its ${BLOCK} entries`)
      return texts
    })
  }

  async day(date, size) {
    const limit = size * LEAF
    const bytes = await this.file(`days/${date}.bin`, { limit })
    need(bytes.length === limit, `days/${date}.bin has ${bytes.length} bytes, not ${limit}`)
    return bytes
  }

  async dayHashes(date, size) {
    const limit = Math.ceil(size / BLOCK) * 32
    const bytes = await this.file(`days/${date}.hashes.bin`, { limit })
    need(bytes.length === limit, `days/${date}.hashes.bin has ${bytes.length} bytes, not ${limit}`)
    return bytes
  }
}

/** Each entry is followed by an empty line. Undefined if there are fewer than wanted. */
export function splitLogFile(bytes, wanted) {
  const texts = []
  let start = 0
  while (texts.length < wanted) {
    const end = bytes.indexOf('\n\n', start)
    if (end < 0) return undefined
    need(end - start < LIMIT.entry, 'an entry above 65,536 bytes')
    texts.push(bytes.toString('latin1', start, end + 1))
    start = end + 2
  }
  return Object.assign(texts, { end: start })
}

// ─── Chains ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const TRANSFER_EVENT = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const MAGIC_1271 = '1626ba7e'
const CALLS = { publisher: '8c72c54e', count: '06661abd', since: 'a570b829', balanceOf: '70a08231', isValidSignature: '1626ba7e' }
const MAX_RANGE = 50_000
const abiWord = (value) => BigInt(value).toString(16).padStart(64, '0')
const quantity = (value) => `0x${value.toString(16)}`

/** Values of an RPC's answer: an answer of another form is no answer. */
function answered(condition, what) {
  if (!condition) throw new Unavailable(`the RPC's answer has no usable ${what}`)
}
function fromQuantity(value, what) {
  answered(typeof value === 'string' && /^0x[0-9a-f]{1,14}$/i.test(value), what)
  const result = Number(value)
  answered(Number.isSafeInteger(result), what)
  return result
}
function fromData(value, what) {
  answered(typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value), what)
  return Buffer.from(value.slice(2), 'hex')
}
const lower = (value, length, what) => {
  answered(typeof value === 'string' && new RegExp(`^0x[0-9a-f]{${length}}$`, 'i').test(value), what)
  return value.toLowerCase()
}

class Rpc {
  constructor(url, timeout) {
    this.url = url
    this.timeout = timeout
  }

  async request(method, ...params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    let answer
    try {
      const bytes = await download(this.url, { method: 'POST', body, headers, limit: LIMIT.rpcAnswer, timeout: this.timeout })
      answer = JSON.parse(bytes.toString('utf8'))
    } catch (error) {
      throw error instanceof Unavailable ? error : new Unavailable(`${this.url}: ${plain(error.message)}`)
    }
    answered(typeof answer === 'object' && answer !== null, 'object')
    if (answer.error !== undefined) throw new RpcError(`${this.url}: ${plain(answer.error?.message ?? 'an error')}`)
    return answer.result
  }

  async chainId() {
    return String(fromQuantity(await this.request('eth_chainId'), 'chain id'))
  }

  async block(numberOrTag) {
    const block = await this.request(
      'eth_getBlockByNumber',
      typeof numberOrTag === 'number' ? quantity(numberOrTag) : numberOrTag,
      false,
    )
    if (block === null) return null
    answered(typeof block === 'object', 'block')
    return {
      number: fromQuantity(block.number, 'block number'),
      hash: lower(block.hash, 64, 'block hash'),
      time: fromQuantity(block.timestamp, 'block time') * 1000,
    }
  }

  async call(to, data, block) {
    const at = typeof block === 'number' ? quantity(block) : block
    return fromData(await this.request('eth_call', { to, data: `0x${data}` }, at), 'data')
  }

  async callForNumber(to, data, block) {
    const bytes = await this.call(to, data, block)
    answered(bytes.length === 32, 'number')
    return integer(bytes)
  }

  async code(address, block) {
    return fromData(await this.request('eth_getCode', address, block), 'code')
  }

  /** All transfers of a token in a transaction, in order, or null if the chain does not have it. */
  async transfersIn(token, transaction) {
    const receipt = await this.request('eth_getTransactionReceipt', transaction)
    if (receipt === null) return null
    answered(typeof receipt === 'object' && Array.isArray(receipt.logs), 'receipt')
    return receipt.logs
      .filter((log) => String(log?.address).toLowerCase() === token && String(log?.topics?.[0]).toLowerCase() === TRANSFER_EVENT)
      .map(readTransfer)
      .toSorted((a, b) => a.logIndex - b.logIndex)
  }

  /** The transfers of a token in blocks `from` to `to`, out of `senders` or to `recipients`. */
  async transfers(token, { from, to, senders = null, recipients = null }) {
    const topics = [TRANSFER_EVENT, senders?.map(topicOf) ?? null, recipients?.map(topicOf) ?? null]
    const found = []
    let step = MAX_RANGE
    for (let start = from; start <= to; ) {
      const end = Math.min(to, start + step - 1)
      let logs
      try {
        const filter = { address: token, topics, fromBlock: quantity(start), toBlock: quantity(end) }
        logs = await this.request('eth_getLogs', filter)
      } catch (error) {
        // Many nodes limit the blocks or the logs of one answer.
        if (!(error instanceof RpcError) || step === 1) throw error
        step = Math.max(1, Math.floor(step / 4))
        continue
      }
      answered(Array.isArray(logs), 'logs')
      for (const log of logs) {
        const one = readTransfer(log)
        const isAsked = (senders?.includes(one.from) ?? true) && (recipients?.includes(one.to) ?? true)
        answered(one.token === token && one.block >= start && one.block <= end && isAsked, 'log: it was not asked for')
        found.push(one)
      }
      start = end + 1
      step = Math.min(MAX_RANGE, step * 2)
    }
    return found
  }
}

/** The RPC answered with an error of its own. */
class RpcError extends Unavailable {}

const topicOf = (address) => `0x${address.slice(2).padStart(64, '0')}`
function readTransfer(log) {
  answered(typeof log === 'object' && log !== null && Array.isArray(log.topics) && log.topics.length === 3, 'transfer')
  const data = fromData(log.data, 'transfer')
  answered(data.length === 32 && log.removed !== true && lower(log.topics[0], 64, 'topic') === TRANSFER_EVENT, 'transfer')
  return {
    token: lower(log.address, 40, 'address'),
    transaction: lower(log.transactionHash, 64, 'transaction'),
    block: fromQuantity(log.blockNumber, 'block number'),
    logIndex: fromQuantity(log.logIndex, 'log index'),
    from: `0x${lower(log.topics[1], 64, 'sender').slice(26)}`,
    to: `0x${lower(log.topics[2], 64, 'recipient').slice(26)}`,
    amount: integer(data),
  }
}

/** Runs a function on each item, a few at a time. */
async function eachOf(items, run) {
  const queue = [...items]
  const work = async () => {
    while (queue.length > 0) await run(queue.shift())
  }
  await Promise.all(Array.from({ length: 6 }, work))
}

/** The RPCs that the person named, by the id of their chain. */
async function connect(urls, timeout) {
  const chains = { of: new Map(), silent: [] }
  for (const url of urls) {
    const rpc = new Rpc(url, timeout)
    try {
      const id = await rpc.chainId()
      chains.of.set(id, [...(chains.of.get(id) ?? []), rpc])
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      chains.silent.push(error.message)
    }
  }
  return chains
}

/** What the RPCs of a chain are; Unavailable where there is none. */
function rpcsOf(chains, id) {
  const rpcs = chains.of.get(id)
  if (!rpcs) throw new Unavailable([`no RPC of chain ${id}`, ...chains.silent].join('; '))
  return rpcs
}

// ─── Ticks (§12) ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const OUTCOMES = ['ok', 'nothing', 'unknown', 'failed']

export class Report {
  ticks = new Map()
  header = []
  /** False if the site answers that it has no register. */
  isPublished = true

  /** Sets an outcome unless there is a worse one. */
  set(tick, outcome, detail, evidence) {
    const before = this.ticks.get(tick)
    if (before && OUTCOMES.indexOf(before.outcome) >= OUTCOMES.indexOf(outcome)) {
      if (outcome === 'failed') before.more = (before.more ?? 0) + 1
      return
    }
    this.ticks.set(tick, { outcome, detail, evidence })
  }

  ok(tick, detail) {
    this.set(tick, 'ok', detail)
  }

  fail(tick, detail, evidence) {
    this.set(tick, 'failed', detail, evidence)
  }

  /** Fails the tick unless the condition holds; returns the condition. */
  check(tick, condition, detail, evidence) {
    if (!condition) this.fail(tick, typeof detail === 'function' ? detail() : detail, evidence)
    return Boolean(condition)
  }

  /** Runs a part of a tick: refused bytes fail it, a missing answer makes it unknown. */
  async part(tick, run) {
    try {
      return await run()
    } catch (error) {
      if (error instanceof Refused) this.fail(tick, error.message)
      else if (error instanceof Unavailable) this.set(tick, 'unknown', error.message)
      else throw error
      return undefined
    }
  }

  named(outcome) {
    return [...this.ticks].filter(([, tick]) => tick.outcome === outcome).map(([name]) => name)
  }

  get exitCode() {
    return this.named('failed').length > 0 ? 1 : this.named('unknown').length > 0 ? 2 : 0
  }
}

/** Ends the check of the log: what follows cannot be judged. The tick has failed already. */
class Stop extends Error {}

// ─── The log: entries, days, and equations (§5, §6, §11) ───────────────────────────────────────────────────────────────────────────────

/** Settings of one kind, in the order of `from`, then of the log. */
class Settings {
  items = []

  add(item) {
    let index = this.items.length
    while (index > 0 && this.items[index - 1].from > item.from) index--
    this.items.splice(index, 0, item)
  }

  at(instant) {
    let [low, high] = [0, this.items.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.items[middle].from <= instant) low = middle + 1
      else high = middle
    }
    return this.items[low - 1]
  }
}

const when = (instant) => new Date(instant).toISOString()
const COMPLETED = new Set(['paid', 'elsewhere', 'booked'])

/** Reads the entries one after the other, and checks at each day and at each books entry what is true there. */
export class Log {
  index = -1
  entry = null
  text = ''
  /** Set at entry 0. */
  genesis = null
  genesisHash = ''
  hashes = new Set()
  settings = { rate: new Settings(), price: new Settings(), fee: new Settings(), supply: new Settings() }
  firstFee = new Map()
  largestSupply = 0
  addresses = { deposit: new Map(), wallet: new Map(), anchor: new Map() }
  logKeys = []
  receiptKeys = []
  releases = new Set()
  caughtUp = new Set()
  heldAt = null
  /** Groups by id; the number of all their numbers. */
  groups = new Map()
  numbersInGroups = 0
  deposits = new Map()
  sums = { counted: 0n, review: 0n, refunded: 0n, ignored: 0n, orphaned: 0n, vanished: 0n }
  returned = 0n
  refunds = new Map()
  dirtyGroups = new Set()
  dirtyDeposits = new Set()
  refundsTwice = new Set()
  newPricesFrom = Infinity
  payouts = new Map()
  payoutOf = new Map()
  completed = [0n, 0n]
  open = 0n
  days = []
  books = []
  /** Facts, then days with corrections before the last of them, then books. */
  phase = 'facts'
  pendingTimes = []
  corrections = []
  leaves = NO_LEAVES
  /** day → { rate, numbers } of the leaves that would have earned, were frozen, and are not yet credited. */
  frozen = new Map()
  /** `day number` → group of those that would have earned; of these, what was due at the last books. */
  missed = new Map()
  dueCredits = []
  rateChanges = []

  /**
   * `readDay(date, size)` returns the bytes of a day's leaves and block hashes. `only` limits the checks to one day. `watchers` (an account,
   * receipts) are told of entries, days and books.
   */
  constructor(report, { readDay, only = null, watchers = [] }) {
    this.report = report
    this.readDay = readDay
    this.only = only
    this.watchers = watchers
  }

  check(tick, condition, why) {
    return this.report.check(tick, condition, () => `entry ${this.index}: ${typeof why === 'function' ? why() : why}`, this.text)
  }

  async add(text, itsHash) {
    this.index++
    this.text = text
    const id = itsHash.toString('latin1')
    this.check('entries', !this.hashes.has(id), 'an entry that the log already has')
    this.hashes.add(id)
    let e
    try {
      e = parseEntry(text)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.check('entries', false, error.message)
      throw new Stop()
    }
    e.index = this.index
    this.entry = e
    this.checkOrder(e)
    if (this.index === 0) this.genesisHash = itsHash.toString('base64')
    await this.read(e)
    for (const watcher of this.watchers) await watcher.entry?.(e, text, this)
  }

  /** §6: everything between two books belongs to the later one, in its order, and is not later than it. */
  checkOrder(e) {
    const isGenesis = e.kind === 'genesis'
    if (
      !this.check('entries', isGenesis === (this.index === 0), isGenesis ? 'a second genesis' : 'the first entry is no genesis')
    )
      throw new Stop()
    if (e.kind === 'day') {
      this.check('entries', this.phase !== 'corrected', 'a day after the last day of its snapshot')
      this.phase = this.corrections.length > 0 ? 'corrected' : 'days'
      this.pendingTimes.push(e.paid)
    } else if (e.kind === 'books') {
      this.check('entries', this.phase !== 'facts', 'books that follow no day')
      this.check('entries', this.corrections.length === 0, 'a correction that is not before a day')
      this.check(
        'entries',
        this.pendingTimes.every((at) => at <= e.time),
        'a fact later than the books that contain it',
      )
      this.pendingTimes = []
      this.phase = 'facts'
    } else {
      this.check(
        'entries',
        this.phase === 'facts' || (e.kind === 'correction' && this.phase === 'days'),
        'a fact after a day of its snapshot',
      )
      this.check(
        'entries',
        e.kind === 'correction' || this.corrections.length === 0,
        'a correction that is not directly before a day',
      )
      this.pendingTimes.push(e.time)
      // Only the largest matters; the list stays short.
      if (this.pendingTimes.length > 1_000) this.pendingTimes = [Math.max(...this.pendingTimes)]
    }
  }

  get lastBooks() {
    return this.books.at(-1) ?? null
  }

  get lastDay() {
    return this.days.at(-1) ?? null
  }

  async read(e) {
    if (e.kind === 'genesis') this.readGenesis(e)
    else if (e.kind in this.settings) this.readSetting(e)
    else if (e.kind === 'address') this.readAddress(e)
    else if (e.kind === 'key') this.readKey(e)
    else if (e.kind === 'release') this.releases.add(e.verify)
    else if (e.kind === 'note') this.readNote(e)
    else if (e.kind === 'deposit') this.readDeposit(e)
    else if (e.kind === 'grant') this.joinGroup(e, e.cause)
    else if (e.kind === 'payout') this.readPayout(e)
    else if (e.kind === 'correction') this.corrections.push(e)
    else if (e.kind === 'day') await this.closeDay(e)
    else this.closeBooks(e)
  }

  readGenesis(e) {
    this.genesis = e
    this.logKeys.push({ since: 0, key: e['log-key'] })
    this.receiptKeys.push({ key: e['receipt-key'], until: Infinity })
    if (e.anchor) this.addresses.anchor.set(e.anchor.join(' '), { chain: e.anchor[0], address: e.anchor[1], index: 0 })
  }

  /** No backdating (§6). */
  readSetting(e) {
    if (e.kind === 'rate' || e.kind === 'supply')
      this.check('entries', !this.lastDay || e.from > nineOf(this.lastDay.day), `a ${e.kind} from before the last day`)
    else
      this.check('entries', !this.lastBooks || e.from > this.lastBooks.time - 600_000, `a ${e.kind} from before the last books`)
    this.settings[e.kind].add({ from: e.from, value: e[e.kind], index: e.index })
    if (e.kind === 'supply') this.largestSupply = Math.max(this.largestSupply, e.supply)
    if (e.kind === 'price') this.newPricesFrom = Math.min(this.newPricesFrom, e.from)
    if (e.kind === 'fee') this.firstFee.set(e.fee, Math.min(e.from, this.firstFee.get(e.fee) ?? Infinity))
  }

  readAddress(e) {
    const last = this.lastBooks?.[{ deposit: 'payment-block', wallet: 'reward-block' }[e.role]]
    this.check('entries', !last || e.block > last[0], 'an address that hides earlier transfers')
    const chain = { deposit: this.genesis.payment[0], wallet: this.genesis.reward[0] }[e.role]
    this.check('entries', chain === undefined || chain === e.chain, `an address of role ${e.role} on another chain`)
    const known = this.addresses[e.role]
    const id = e.role === 'anchor' ? `${e.chain} ${e.address}` : e.address
    if (!known.has(id)) known.set(id, e)
    if (this.addresses.wallet.size > LIMIT.wallets) {
      this.check('E7', false, 'more wallets than a books entry can list')
      throw new Stop()
    }
  }

  /** §7: a key is reached from the one before it. */
  readKey(e) {
    if (e.use === 'receipt') {
      const inForce = this.receiptKeys.at(-1)
      this.check('signature', e.old === inForce.key, 'a successor of a receipt key that was not in force')
      inForce.until = e.time
      this.receiptKeys.push({ key: e.new, until: Infinity })
    } else if (e.use === 'log') {
      this.check('signature', e.old === this.logKeys.at(-1).key, 'a successor of a log key that was not in force')
      const body = ascii(this.text.slice(0, this.text.lastIndexOf('\nproof ') + 1))
      const data = Buffer.concat([ascii('xcr-register/key/v1\n'), Buffer.from(this.genesisHash, 'base64'), body])
      const isProven = e.proof !== null && isSigned(data, e.old, e.proof)
      this.logKeys.push({ since: e.index + 1, key: e.new, isProven, index: e.index, text: this.text })
    }
  }

  readNote(e) {
    if (e.topic === 'caught-up') this.caughtUp.add(e.subject)
    if (e.topic === 'held') this.heldAt = e
  }

  // Groups (§5.2)

  joinGroup(e, cause) {
    let group = this.groups.get(e.group)
    const facts = `${textOf(e.numbers)} ${e.allocated} ${e.active}`
    if (!group) {
      this.check('entries', e.group === this.groups.size + 1, 'a group id out of turn')
      this.check('entries', !this.lastDay || e.allocated > nineOf(this.lastDay.day), 'a group from before the last day')
      this.numbersInGroups += sizeOf(e.numbers)
      const isPossible = e.numbers.at(-1)[1] <= this.largestSupply && this.numbersInGroups <= this.largestSupply
      if (!this.check('E2', isPossible, 'more numbers than the supply')) throw new Stop()
      group = {
        id: e.group,
        numbers: e.numbers,
        allocated: e.allocated,
        active: e.active,
        facts,
        causes: new Set(),
        terms: null,
        price: null,
        priced: null,
        current: new Map(),
        orphans: [],
      }
      this.groups.set(e.group, group)
    }
    this.check('E2', group.facts === facts, 'other numbers or times than in another entry of the group')
    if (cause === 'deposit') {
      const terms = `${e.price} ${e.priced}`
      this.check('E2', group.terms === null || group.terms === terms, 'another price than in another entry of the group')
      if (group.terms === null) Object.assign(group, { terms, price: e.price, priced: e.priced })
    } else {
      this.check('E2', !group.causes.has(cause), 'a second grant of the group')
      this.check(
        'E2',
        cause !== 'gift' || !this.lastDay || group.allocated > nineOf(this.lastDay.day),
        'a gift declared after the first day of the group',
      )
    }
    group.causes.add(cause)
    this.check(
      'E2',
      group.causes.size === 1 || !(group.causes.has('rule') || group.causes.has('hand')),
      'a grant and a purchase in one group',
    )
    this.dirtyGroups.add(group)
    return group
  }

  kindOf(group) {
    if (group.causes.has('hand') || group.causes.has('gift')) return GRANTED
    return group.causes.has('rule') ? BONUS : PAID
  }

  isOrphaned(group) {
    return group.orphans.some(({ until }) => until === null)
  }

  // Deposits and payouts: the last entry of an identity is current

  readDeposit(e) {
    const before = this.deposits.get(e.transfer)
    e.firstMined = before?.firstMined ?? e.mined
    if (before) {
      this.sums[before.decision] -= before.amount
      if (before.decision === 'refunded') this.returned -= before.returned
      if (before.refund) this.countRefund(before.refund, -1)
      const group = this.groups.get(before.group)
      if (group) {
        group.current.delete(e.transfer)
        this.dirtyGroups.add(group)
        if (before.decision === 'orphaned') group.orphans.findLast((one) => one.transfer === e.transfer).until = e.time
      }
      this.dirtyDeposits.delete(before)
    }
    this.deposits.set(e.transfer, e)
    this.sums[e.decision] += e.amount
    if (e.decision === 'refunded') this.returned += e.returned
    if (e.refund) this.countRefund(e.refund, 1)
    this.dirtyDeposits.add(e)
    if (e.group === null) return
    const group = this.joinGroup(e, 'deposit')
    group.current.set(e.transfer, e)
    if (e.decision === 'orphaned') group.orphans.push({ transfer: e.transfer, from: e.time, until: null })
  }

  countRefund(refund, change) {
    const uses = (this.refunds.get(refund) ?? 0) + change
    if (uses === 0) this.refunds.delete(refund)
    else this.refunds.set(refund, uses)
    if (uses > 1) this.refundsTwice.add(refund)
    else this.refundsTwice.delete(refund)
  }

  readPayout(e) {
    const isOfAccount = e.state !== 'sweep' && e.state !== 'foreign'
    this.check('E5', !isOfAccount || e.time >= (this.firstFee.get(e.fee) ?? Infinity), 'a fee that was not in force')
    const id = e.request ?? e.transfer
    const before = this.payouts.get(id)
    if (e.request !== null && before) {
      this.check('entries', before.state === 'accepted', `a payout that was final as ${before.state}`)
      this.check('E5', before.net === e.net && before.fee === e.fee, 'another amount than before')
    }
    if (e.transfer !== null) {
      const other = this.payoutOf.get(e.transfer)
      this.check('entries', !other || other.state === 'foreign', 'a transfer that another payout names')
      this.payoutOf.set(e.transfer, e)
    }
    if (before) this.countPayout(before, -1n)
    this.payouts.set(id, e)
    this.countPayout(e, 1n)
  }

  countPayout(e, sign) {
    if (e.state === 'accepted') this.open += sign * (e.net + e.fee)
    if (COMPLETED.has(e.state)) this.completed = [this.completed[0] + sign * e.net, this.completed[1] + sign * e.fee]
  }

  // A day: E1 to E4 and E8

  async closeDay(e) {
    const nine = nineOf(e.day)
    const isReal = this.genesis.clock === 'real'
    const before = this.lastDay
    this.check('days', !before || e.day === dayAfter(before.day), () => `day ${e.day} follows ${before.day}`)
    this.check(
      'days',
      e.due <= e.paid && (!isReal || e.due === nine),
      'paid before it was due, or due at another time than 09:00',
    )
    // A note that follows the day excuses nothing.
    const isCaughtUp = this.caughtUp.has(e.day)
    this.check('days', !isReal || e.paid - e.due <= DAY || isCaughtUp, 'paid late without a note')
    if (this.days.length >= LIMIT.days) throw new Stop()
    const cut = isReal ? e.due : e.paid
    const rate = this.settings.rate.at(nine)
    if (before && before.rate !== e.rate && this.lastBooks)
      this.rateChanges.push({
        day: e.day,
        cut,
        rateIndex: rate?.index ?? Infinity,
        booksBefore: this.books.filter(({ time: at }) => at <= cut).at(-1),
      })
    const { day: date, due, paid, earned, index } = e
    this.days.push({ day: date, due, paid, rate: e.rate, earned, index, size: e.nodes[0], isCaughtUp })
    const corrections = this.corrections
    this.corrections = []
    const isNeeded = this.only === null || e.day === this.only || dayAfter(e.day) === this.only
    if (!isNeeded) return
    const prior = this.leaves
    this.leaves = await this.loadLeaves(e)
    if (this.only === null || e.day === this.only) {
      this.checkFigures(e, nine, rate)
      this.checkStates(e, nine, cut, prior)
      await this.checkEarnings(e, prior, corrections)
    }
    for (const watcher of this.watchers) watcher.day?.(e, this.leaves, this)
  }

  /** E1: the bytes, against the entry. A leaf that is none counts as free. */
  async loadLeaves(e) {
    const [size, root] = e.nodes
    this.counted = { states: [0, 0, 0, 0], kinds: [0, 0, 0, 0], earned: 0n }
    const files = await this.report.part('E1', () => this.readDay(e.day, size))
    if (!files) throw new Stop()
    const bytes = Buffer.from(files.leaves)
    const [tree, blocks] = [new Tree(), []]
    let block = new Tree()
    for (let n = 1; n <= size; n++) {
      const raw = bytes.subarray((n - 1) * LEAF, n * LEAF)
      const itsHash = raw.equals(FREE_LEAF) ? FREE_HASH : leafHash(raw)
      block.append(itsHash)
      if (n % BLOCK === 0 || n === size) {
        blocks.push(block.root())
        tree.append(blocks.at(-1))
        block = new Tree()
      }
      try {
        const leaf = parseLeaf(raw)
        this.counted.states[leaf.state]++
        this.counted.kinds[leaf.kind]++
        this.counted.earned += leaf.earned
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        this.report.fail('E1', `day ${e.day}, number ${n}: ${error.message}`, raw.toString('hex'))
        FREE_LEAF.copy(raw)
      }
    }
    this.check('E1', tree.root().toString('base64') === root, 'another root than that of the leaves')
    this.check('E1', Buffer.concat(blocks).equals(files.hashes), 'other block hashes than those of the leaves')
    return new Leaves(bytes)
  }

  /** E1, E3, and the sums of E4. */
  checkFigures(e, nine, rate) {
    const { states, kinds, earned } = this.counted
    this.check('E1', this.settings.supply.at(nine)?.value === e.nodes[0], 'another size than the supply in force')
    this.check(
      'E1',
      e.states.every((value, index) => value === states[index]),
      () => `the leaves have the states ${states.join(' ')}`,
    )
    this.check(
      'E1',
      e.kinds.every((value, index) => value === kinds[index]),
      () => `the leaves have the kinds ${kinds.join(' ')}`,
    )
    this.check('E1', e.earned === earned, () => `the leaves have earned ${earned}`)
    this.check('E3', kinds[BONUS] <= Math.floor(kinds[PAID] / 10), 'more bonus nodes than a tenth of the paid ones')
    this.check('E4', rate?.value === e.rate, () => `the rate in force is ${rate?.value ?? 'none'}`)
    this.check('E4', e.rewards === e.rate * BigInt(e.states[ACTIVE]), 'the rewards are not rate × active')
  }

  /** E2 and E8: each owned number is in one group, each group owns its numbers, and the states follow from the group. */
  checkStates(e, nine, cut, prior) {
    const { leaves, report } = this
    const owned = new Uint8Array(leaves.size + 1)
    const frozen = new Set()
    for (const group of this.groups.values()) {
      if (group.allocated > nine) continue
      // On the first day that contains it; a check of one later day does not judge it again.
      const isFirst = group.allocated > nine - DAY || this.days.length === 1
      const where = () => `day ${e.day}, group ${group.id}`
      const isHeld = group.current.size > 0 || [...group.causes].some((cause) => cause !== 'deposit')
      report.check('E2', isHeld, () => `${where()}: neither a deposit nor a grant`, this.text)
      if (isFirst && group.causes.has('gift') && group.price !== null) {
        const list = this.settings.price.at(group.priced)
        const received = [...group.current.values()].reduce((sum, one) => sum + one.amount, 0n)
        const isLow = !list || 2n * received < BigInt(sizeOf(group.numbers)) * list.value
        report.check('E2', isLow, () => `${where()}: called a gift, although half of the price was received`, this.text)
      }
      const kind = this.kindOf(group)
      const isActive = group.active <= nine
      const mayBeFrozen = group.orphans.some(
        ({ from, until }) => (!isActive || from <= e.paid) && (until === null || until >= cut),
      )
      for (const n of each(group.numbers)) {
        const at = (why) => () => `day ${e.day}, number ${n} of group ${group.id}: ${why}`
        const state = leaves.state(n)
        const raw = n <= leaves.size ? leaves.raw(n).toString('hex') : 'no leaf'
        report.check('E2', n > leaves.size || owned[n] === 0, at('in two groups'), raw)
        if (n <= leaves.size) owned[n] = 1
        if (!report.check('E2', state !== FREE, at('free, but its group owns it'), raw)) continue
        if (prior.state(n) === FREE)
          report.check(
            'E2',
            leaves.kind(n) === kind,
            at(`shown as ${KINDS_OF_NODES[leaves.kind(n)]}, not ${KINDS_OF_NODES[kind]}`),
            raw,
          )
        if (state === FROZEN) {
          report.check('E8', mayBeFrozen, at('frozen without an orphaned deposit'), raw)
          if (!isActive) continue
          frozen.add(n)
          if (e.rate > 0n) this.missed.set(`${e.day} ${n}`, group)
        } else report.check('E8', state === (isActive ? ACTIVE : WAITING), at(`shown as ${STATES[state]}`), raw)
      }
    }
    if (frozen.size > 0) this.frozen.set(e.day, { rate: e.rate, numbers: frozen })
    for (let n = 1; n <= Math.max(leaves.size, prior.size); n++) {
      const [was, is] = [prior.state(n), leaves.state(n)]
      const at = (why) => () => `day ${e.day}, number ${n}: ${why}`
      if (is !== FREE) report.check('E2', owned[n] === 1, at('owned without a group'), leaves.raw(n).toString('hex'))
      if (was === FREE) continue
      report.check('E8', is !== FREE, at('goes back to free'), prior.raw(n).toString('hex'))
      report.check('E8', is === FREE || leaves.kind(n) === prior.kind(n), at('changes its kind'), prior.raw(n).toString('hex'))
    }
  }

  /** E4: what each number has earned since the prior day. */
  async checkEarnings(e, prior, corrections) {
    const { leaves, report } = this
    // The credits as differences between neighbors, so that a range costs no more than its two ends.
    const steps = new Map()
    let corrected = 0n
    for (const { missed, reason, credits: items } of corrections) {
      const of = this.frozen.get(missed) ?? (this.only && reason === 'thawed' ? await this.loadFrozen(missed) : undefined)
      for (const {
        range: [first, last],
        each: value,
      } of items) {
        const where = () => `day ${e.day}, credit for ${missed}, numbers ${textOf([[first, last]])}`
        corrected += value * BigInt(last - first + 1)
        report.check('E4', last <= leaves.size, () => `${where()}: not in the tree`, this.text)
        steps.set(first, (steps.get(first) ?? 0n) + value)
        steps.set(last + 1, (steps.get(last + 1) ?? 0n) - value)
        if (reason !== 'thawed') continue
        const isPossible = of !== undefined && last - first < of.numbers.size && value === of.rate
        if (
          !report.check(
            'E4',
            isPossible,
            () => `${where()}: no reward was missed then, or another amount than that day's rate`,
            this.text,
          )
        )
          continue
        for (const n of each([[first, last]])) {
          report.check(
            'E4',
            of.numbers.delete(n),
            () => `${where()}: number ${n} missed no reward, or is credited twice`,
            this.text,
          )
          this.missed.delete(`${missed} ${n}`)
        }
      }
    }
    report.check('E4', e.corrected === corrected, `day ${e.day}: the credits are ${corrected}`, this.text)
    let credit = 0n
    for (let n = 1; n <= leaves.size; n++) {
      credit += steps.get(n) ?? 0n
      const due = prior.earned(n) + (leaves.state(n) === ACTIVE ? e.rate : 0n) + credit
      const earned = leaves.earned(n)
      if (earned !== due)
        report.fail('E4', `day ${e.day}, number ${n}: earned ${earned}, not ${due}`, leaves.raw(n).toString('hex'))
    }
  }

  /** For the check of a single day: the numbers that missed the reward of an earlier one. */
  async loadFrozen(date) {
    const of = this.days.find((one) => one.day === date)
    if (!of) return undefined
    const files = await this.report.part('E4', () => this.readDay(of.day, of.size))
    if (!files) return undefined
    const leaves = new Leaves(files.leaves)
    const frozen = { rate: of.rate, numbers: new Set() }
    for (const group of this.groups.values())
      if (group.active <= nineOf(date)) for (const n of each(group.numbers)) if (leaves.state(n) === FROZEN) frozen.numbers.add(n)
    this.frozen.set(date, frozen)
    return frozen
  }

  // Books: E2, E5, E6, E7 and the credits of E4, as far as the log tells

  closeBooks(e) {
    const before = this.lastBooks
    const last = this.lastDay
    this.check(
      'days',
      last !== null && e.day === last.day && before?.day !== e.day,
      'books that do not name the last day, or no new day',
    )
    this.check('days', !before || e.time > before.time, 'books that are not later than the ones before')
    if (last && this.only === null) {
      this.checkReceived(e)
      this.checkOwed(e, last)
      this.checkBlocks(e, last, before)
      this.checkCredits()
    }
    this.books.push(e)
    for (const watcher of this.watchers) watcher.books?.(e, this)
  }

  /** E2: USDT by decision, refunds, dust, and what each group was paid. */
  checkReceived(e) {
    for (const name of RECEIVED)
      this.check('E2', e[name] === this.sums[name], () => `${name}: the entries say ${this.sums[name]}`)
    this.check('E2', e.received === RECEIVED.reduce((sum, name) => sum + e[name], 0n), 'received is another sum')
    this.check('E2', e.returned === this.returned, () => `returned: the entries say ${this.returned}`)
    for (const refund of this.refundsTwice) this.check('E2', false, `refund ${refund} is used twice`)
    // What no entry and no price since the last books touches was checked there.
    const isRepriced = this.newPricesFrom < Infinity
    for (const one of isRepriced ? this.deposits.values() : this.dirtyDeposits) {
      if (one.decision === 'refunded')
        this.check('E2', 2n * one.returned >= one.amount, `${one.transfer}: less than half was returned`)
      if (one.reason !== 'dust') continue
      const price = this.settings.price.at(one.mined)
      this.check('E2', price && one.amount < price.value, `${one.transfer}: ignored as dust, but not below the price`)
    }
    for (const group of isRepriced ? this.groups.values() : this.dirtyGroups) this.checkPrice(group)
    this.dirtyGroups = new Set()
    this.dirtyDeposits = new Set()
    this.newPricesFrom = Infinity
  }

  checkPrice(group) {
    if (group.price === null || group.current.size === 0) return
    const fails = (why) => this.check('E2', false, `group ${group.id}: ${why}`)
    const list = this.settings.price.at(group.priced)
    if (!list) return void fails('no price was in force')
    const deposits = [...group.current.values()]
    const received = deposits.reduce((sum, one) => sum + one.amount, 0n)
    const size = BigInt(sizeOf(group.numbers))
    if (deposits.every(({ decision, reason }) => decision === 'counted' && reason === 'matched')) {
      if (group.price !== list.value || received !== size * group.price)
        fails(`received ${received} for ${size} nodes at ${list.value}`)
      for (const { firstMined } of deposits)
        if (firstMined - DAY > group.priced || group.priced > firstMined + 60_000)
          fails('a price agreed at another time than the payment')
    } else if (!group.causes.has('gift') && !group.causes.has('unpaid') && 2n * received < size * list.value)
      fails(`received ${received}, less than half of ${size} nodes at ${list.value}`)
  }

  /** E5. */
  checkOwed(e, last) {
    const [net, fees] = this.completed
    this.check('E5', e.earned === last.earned, 'earned is not that of the day')
    this.check('E5', e.completed[0] === net && e.completed[1] === fees, () => `completed: the entries say ${net} ${fees}`)
    this.check('E5', e.open === this.open, () => `open: the entries say ${this.open}`)
    this.check('E5', e.owed === e.balances + e.open, 'owed is not balances + open')
    this.check('E5', e.earned + e.debts === e.owed + net + fees, 'earned + debts is not owed + completed')
  }

  /** E6 and E7, without the chains. */
  checkBlocks(e, last, before) {
    const sorted = (role) => [...this.addresses[role].keys()].toSorted((a, b) => (a < b ? -1 : 1)).join()
    this.check('E6', (e.addresses ?? []).join() === sorted('deposit'), 'other addresses than those of role deposit')
    this.check(
      'E7',
      (e.reserve ?? []).map(([where]) => where).join() === sorted('wallet'),
      'other wallets than those of role wallet',
    )
    const cut = this.genesis.clock === 'real' ? last.due : e.time
    for (const name of ['payment-block', 'reward-block']) {
      const [block, was] = [e[name], before?.[name]]
      this.check('E6', block || !was, `${name} was withdrawn`)
      if (!block) continue
      this.check('E6', !was || was[0] <= block[0], `${name} falls`)
      this.check('E6', cut - DAY <= block[2] && block[2] <= cut, `${name} is not of the 24 hours before`)
    }
  }

  /** E4: who was frozen, and had no orphaned deposit at the previous books, is credited by now. */
  checkCredits() {
    for (const miss of this.dueCredits)
      this.check('E4', !this.missed.has(miss), `day and number ${miss}: frozen, thawed, and not credited`)
    this.dueCredits = [...this.missed].filter(([, group]) => !this.isOrphaned(group)).map(([miss]) => miss)
  }

  /** The end of the log. */
  close() {
    if (this.phase !== 'facts' || this.corrections.length > 0)
      this.report.fail('entries', `the log ends after day ${this.lastDay?.day ?? '-'} without books`)
  }

  /** The log key in force at a size, or undefined if it is not reached from genesis. */
  logKeyAt(size, pinned) {
    let inForce
    for (const step of this.logKeys) {
      if (step.since > size) break
      if (step.isProven === false && step.key !== pinned) {
        this.report.fail(
          'signature',
          `entry ${step.index}: the log key was replaced without a proof by the old one; pin it with --log-key`,
          step.text,
        )
        return undefined
      }
      inForce = step.key
    }
    return inForce
  }
}

// ─── Anchors (§9), and the ticks that need them ────────────────────────────────────────────────────────────────────────────────────────

export const anchorCodeHash = (code, publisher) => {
  const masked = Buffer.from(code)
  for (let at = masked.indexOf(publisher); at >= 0; at = masked.indexOf(publisher, at + publisher.length))
    masked.fill(0, at, at + publisher.length)
  return sha256(masked).toString('hex')
}

/** The anchors of one contract, as one RPC tells them. */
async function readAnchors(rpc, contract) {
  const block = 'finalized'
  const code = await rpc.code(contract.address, block)
  need(code.length > 0, `there is no contract at ${contract.address}`)
  const publisher = (await rpc.call(contract.address, CALLS.publisher, block)).subarray(12, 32)
  need(
    publisher.length === 20 && anchorCodeHash(code, publisher) === ANCHOR_CODE,
    `the contract at ${contract.address} has another code than RegisterAnchor.sol`,
  )
  const total = await rpc.callForNumber(contract.address, CALLS.count, block)
  need(total <= LIMIT.anchors, `${contract.address} has more than ${LIMIT.anchors} anchors`)
  const anchors = []
  while (anchors.length < total) {
    const page = parseAnchors(await rpc.call(contract.address, CALLS.since + abiWord(anchors.length), block))
    need(page.length > 0, `${contract.address} has fewer anchors than it counts`)
    for (const anchor of page) {
      need(anchor.size > (anchors.at(-1)?.size ?? 0), `${contract.address} has anchors out of order`)
      anchors.push(anchor)
    }
  }
  return anchors
}

export function parseAnchors(bytes) {
  const words = Math.floor(bytes.length / 32)
  const wordAt = (index) => integer(bytes.subarray(index * 32, index * 32 + 32))
  answered(bytes.length % 32 === 0 && words >= 2 && wordAt(0) === 32n && wordAt(1) <= LIMIT.anchorPage, 'anchors')
  const total = Number(wordAt(1))
  answered(words === 2 + 3 * total, 'anchors')
  return Array.from({ length: total }, (_, index) => {
    const [size, seconds] = [wordAt(2 + 3 * index), wordAt(3 + 3 * index)]
    answered(size < 1n << 53n && seconds < 1n << 43n, 'anchor')
    return {
      size: Number(size),
      time: Number(seconds) * 1000,
      root: Buffer.from(bytes.subarray((4 + 3 * index) * 32, (5 + 3 * index) * 32)),
    }
  })
}

/** Tick `anchors`. Returns the anchors by contract, or null where they are not all known. */
async function checkAnchors({ report, log, chains, hashes }) {
  const contracts = [...log.addresses.anchor.values()]
  if (contracts.length === 0) {
    report.set('anchors', 'nothing', 'not anchored: the log names no anchor contract')
    return []
  }
  const found = []
  let isComplete = true
  for (const contract of contracts) {
    const anchors = await report.part('anchors', async () => {
      let longest = []
      for (const rpc of rpcsOf(chains, contract.chain)) {
        const those = await readAnchors(rpc, contract)
        compareRoots(report, those, hashes, contract)
        if (those.length > longest.length) longest = those
      }
      return longest
    })
    if (anchors) found.push(...anchors)
    else isComplete = false
  }
  if (!isComplete) return null
  if (found.length === 0) report.set('anchors', 'nothing', 'nothing is anchored yet')
  report.ok('anchors', `${found.length} anchored roots of ${contracts.length} contract(s) are roots of this log`)
  return found
}

function compareRoots(report, anchors, hashes, contract) {
  const tree = new Tree()
  for (const { size, root } of anchors) {
    const where = `${contract.address}: the anchor of size ${size}`
    if (
      !report.check(
        'anchors',
        size <= hashes.length,
        `${where} is beyond this log of ${hashes.length} entries`,
        root.toString('hex'),
      )
    ) {
      report.isBehind = true
      return
    }
    while (tree.size < size) tree.append(hashes[tree.size])
    if (!report.check('anchors', tree.root().equals(root), `${where} has another root than this log`, root.toString('hex')))
      return
  }
}

const coveredAt = (anchors, index) => Math.min(...anchors.filter(({ size }) => size > index).map(({ time: at }) => at))

/** Ticks `fresh`, `days` and `notice`, as far as anchors decide them. */
function checkTimes({ report, log, anchors, now }) {
  const contracts = [...log.addresses.anchor.values()]
  if (!log.lastDay) {
    for (const tick of ['days', 'notice', 'fresh']) report.set(tick, 'nothing', 'no day has been paid yet')
    return
  }
  const isReal = log.genesis.clock === 'real'
  if (anchors === null) {
    for (const tick of ['days', 'fresh']) report.set(tick, 'unknown', 'the anchors are not known')
    if (log.rateChanges.length > 0) report.set('notice', 'unknown', 'the anchors are not known')
  } else if (contracts.length > 0) {
    const namedAt = Math.min(...contracts.map(({ index }) => index))
    for (const one of isReal ? log.days : []) {
      if (one.index < namedAt || one.isCaughtUp) continue
      const at = Math.min(coveredAt(anchors, one.index), now)
      report.check('days', at - one.due <= 36 * HOUR, `day ${one.day} was not anchored within 36 hours`)
    }
    for (const { day: date, cut, rateIndex } of log.rateChanges)
      report.check(
        'notice',
        coveredAt(anchors, rateIndex) <= cut,
        `the rate of ${date} was not announced by an anchor before it was due`,
      )
    const newest = log.books.findLast(({ index }) => coveredAt(anchors, index) < Infinity)
    const age = newest ? now - coveredAt(anchors, newest.index) : Infinity
    const [first] = log.books
    if (!newest && first && now - first.time < 36 * HOUR) report.set('fresh', 'nothing', 'the first books are not anchored yet')
    else
      report.check(
        'fresh',
        age < 36 * HOUR,
        newest
          ? `the newest anchored books, of ${newest.day}, were anchored ${Math.floor(age / HOUR)} hours ago`
          : 'no books are anchored',
      )
  } else {
    for (const { day: date, rateIndex, booksBefore } of log.rateChanges)
      report.check(
        'notice',
        booksBefore && booksBefore.index > rateIndex,
        `the rate of ${date} was not announced in earlier books`,
      )
    const age = now - (log.lastBooks?.time ?? -Infinity)
    report.check('fresh', age < 36 * HOUR, `the newest books are ${Math.floor(age / HOUR)} hours old`)
  }
  if (log.heldAt && log.heldAt.index > (log.lastBooks?.index ?? -1))
    report.fail('fresh', `the publisher holds the register back: equation ${log.heldAt.subject} is false`)
  report.ok('days', `${log.days.length} days without a gap, from ${log.days[0].day} to ${log.lastDay.day}`)
  report.ok('notice', `${log.rateChanges.length} change(s) of the rate were announced before they held`)
  report.ok('fresh', `the newest books are of ${log.lastBooks?.day}`)
}

// ─── Chains against the log: E6 and E7 at the last books (§11) ─────────────────────────────────────────────────────────────────────────

/** Both parts of E6 and E7. Each RPC of a chain is asked; each has to agree. */
async function checkChains({ report, log, chains, sellerRpc }) {
  const books = log.lastBooks
  if (!books) {
    for (const tick of ['E6', 'E7']) report.set(tick, 'nothing', 'there are no books yet')
    return
  }
  const parts = [
    ['E6', 'payment', checkDeposits],
    ['E6', 'reward', checkPayouts],
    ['E7', 'reward', checkReserve],
  ]
  for (const [tick, name, check] of parts) {
    const [chain, token] = log.genesis[name]
    const block = books[name === 'payment' ? 'payment-block' : 'reward-block']
    if (!block) {
      report.set(tick, 'nothing', `the books name no block of chain ${chain} yet`)
      continue
    }
    await report.part(tick, async () => {
      for (const rpc of rpcsOf(chains, chain)) {
        const [number, itsHash, at] = block
        const found = await rpc.block(number)
        const isCanonical = found !== null && found.hash === itsHash && found.time === at
        if (report.check(tick, isCanonical, `block ${number} of chain ${chain} is not the one that the books name`))
          await check({ report, log, rpc, token, last: number })
      }
    })
  }
  const through = sellerRpc ? ' (the reward chain through the RPC that the site names)' : ''
  report.ok(
    'E6',
    `deposits up to block ${books['payment-block']?.[0]} and payouts up to block ${books['reward-block']?.[0]} are those of the chains${through}`,
  )
  report.ok('E7', `the reserve is the balance of ${log.addresses.wallet.size} wallet(s) that signed for this log${through}`)
}

async function checkDeposits({ report, log, rpc, token, last }) {
  const addresses = log.addresses.deposit
  const from = Math.min(...[...addresses.values()].map(({ block }) => block))
  const found = addresses.size === 0 ? [] : await rpc.transfers(token, { from, to: last, recipients: [...addresses.keys()] })
  const onChain = new Map()
  for (const one of found)
    if (one.amount > 0n && one.block >= addresses.get(one.to).block)
      onChain.set(`${one.transaction} ${one.block} ${one.logIndex}`, one)
  log.paymentTransfers = [...onChain.values()]
  const blocks = new Map()
  const published = [...log.deposits.values()].filter(({ block }) => block !== null && block[0] <= last)
  await eachOf(new Set(published.map(({ block }) => block[0])), async (number) => blocks.set(number, await rpc.block(number)))
  const senders = new Map()
  for (const e of published) {
    const id = `${e.transfer.slice(0, 66)} ${e.block.join(' ')}`
    const one = onChain.get(id)
    onChain.delete(id)
    const isSame = one?.amount === e.amount && blocks.get(e.block[0])?.time === e.mined
    report.check('E6', isSame, `entry ${e.index}: deposit ${e.transfer} is not on the chain as published`)
    if (one) senders.set(e.transfer, one.from)
  }
  for (const one of onChain.values())
    report.fail(
      'E6',
      `transfer ${one.transaction} of ${one.amount} to ${one.to} has no entry`,
      JSON.stringify(one, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    )
  const refunded = [...log.deposits.values()].filter(({ refund }) => refund !== null)
  await eachOf(refunded, async (e) => {
    const [transaction, ordinal] = e.refund.split(' ')
    const one = (await rpc.transfersIn(token, transaction))?.[Number(ordinal)]
    const isReturned = one?.amount === e.returned && (!senders.has(e.transfer) || one.to === senders.get(e.transfer))
    report.check('E6', isReturned, `entry ${e.index}: refund ${e.refund} is not a transfer of ${e.returned} to the sender`)
  })
}

async function checkPayouts({ report, log, rpc, token, last }) {
  const wallets = log.addresses.wallet
  const from = Math.min(...[...wallets.values()].map(({ block }) => block))
  const found = wallets.size === 0 ? [] : await rpc.transfers(token, { from, to: last, senders: [...wallets.keys()] })
  const onChain = found.filter((one) => one.amount > 0n && one.block >= wallets.get(one.from).block)
  const keyOf = (transaction, wallet, net) => `${transaction} ${wallet} ${net}`
  const published = new Map()
  const others = []
  for (const e of log.payouts.values()) {
    if (e.transfer === null) continue
    if (e.wallet === null) others.push(e)
    else {
      report.check('E6', wallets.has(e.wallet), `entry ${e.index}: ${e.wallet} is no wallet of the register`)
      const id = keyOf(e.transfer.slice(0, 66), e.wallet, e.net)
      published.set(id, [...(published.get(id) ?? []), e])
    }
  }
  for (const one of onChain) {
    const payout = published.get(keyOf(one.transaction, one.from, one.amount))?.pop()
    report.check('E6', payout, `transfer ${one.transaction} of ${one.amount} out of ${one.from} has no entry`)
  }
  // What is left is above the block, or before the wallet counts.
  await eachOf([...[...published.values()].flat(), ...others], async (e) => {
    const [transaction, ordinal] = e.transfer.split(' ')
    const one = (await rpc.transfersIn(token, transaction))?.[Number(ordinal)]
    const isPaid =
      one?.amount === e.net &&
      (e.wallet === null || (one.from === e.wallet && (one.block > last || one.block < wallets.get(e.wallet)?.block)))
    report.check('E6', isPaid, `entry ${e.index}: payout ${e.transfer} is not on the chain as published`)
  })
}

async function checkReserve({ report, log, rpc, token, last }) {
  for (const [wallet, published] of log.lastBooks.reserve ?? []) {
    const balance = await balanceAt(rpc, token, wallet, last)
    report.check('E7', balance === published, `${wallet} had ${balance}, not ${published}`)
    const entry = log.addresses.wallet.get(wallet)
    if (!entry || isProvenBySignature(log, entry)) continue
    const digest = personalHash(
      walletMessage({ origin: log.genesis.origin, genesis: log.genesisHash, chain: entry.chain, wallet }),
    )
    const proof = entry.proof.slice(2)
    const data = `${CALLS.isValidSignature}${digest.toString('hex')}${abiWord(64)}${abiWord(proof.length / 2)}${proof.padEnd(Math.ceil(proof.length / 64) * 64, '0')}`
    const isContract = (await rpc.code(wallet, 'latest')).length > 0
    const answer = isContract ? await rpc.call(wallet, data, 'latest') : Buffer.alloc(0)
    const isValid = answer.length >= 4 && answer.subarray(0, 4).toString('hex') === MAGIC_1271
    report.check('E7', isValid, `entry ${entry.index}: the proof of ${wallet} does not verify`, entry.proof)
  }
}

/** The balance at an old block; from a node without old states, the present one less what came in since and plus what went out. */
async function balanceAt(rpc, token, wallet, block) {
  const data = CALLS.balanceOf + abiWord(wallet)
  try {
    return await rpc.callForNumber(token, data, block)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const head = await rpc.block('latest')
    answered(head, 'latest block')
    const present = await rpc.callForNumber(token, data, head.number)
    const sum = (transfers) => transfers.reduce((total, one) => total + one.amount, 0n)
    const since = { from: block + 1, to: head.number }
    return (
      present -
      sum(await rpc.transfers(token, { ...since, recipients: [wallet] })) +
      sum(await rpc.transfers(token, { ...since, senders: [wallet] }))
    )
  }
}

function isProvenBySignature(log, { chain, address: wallet, proof }) {
  const message = walletMessage({ origin: log.genesis.origin, genesis: log.genesisHash, chain, wallet })
  return recoverAddress(personalHash(message), bytesOf(proof)) === wallet
}

// ─── Receipts and the account (§3, §8, §12) ────────────────────────────────────────────────────────────────────────────────────────────

/** The promise of one receipt, kept or not by the first books at or after its day. */
export class Promised {
  outcome = 'nothing'
  transfers = new Set()
  causes = new Set()
  /** Whether each number had an owner on the promised day, or on the last one before it. */
  hasLeaves = false

  constructor(receipt) {
    this.receipt = receipt
    if (receipt.kind === 'nodes') this.numbers = textOf(receipt.numbers)
    if (receipt.kind === 'withdrawal') this.request = requestOf(receipt.message)
  }

  entry(e) {
    const { receipt } = this
    if (this.outcome !== 'nothing') return
    if (receipt.kind === 'withdrawal') {
      if (e.kind === 'payout' && e.request === this.request && e.net === receipt.net && e.fee === receipt.fee)
        this.causes.add('payout')
    } else if (receipt.kind === 'nodes' && (e.kind === 'deposit' || e.kind === 'grant') && e.group !== null) {
      if (e.active !== receipt.active || textOf(e.numbers) !== this.numbers) return
      if (e.kind === 'grant') this.causes.add(e.cause)
      else if (e.decision === 'counted') {
        this.transfers.add(e.transfer)
        this.causes.add('counted')
      }
    }
  }

  day(e, leaves) {
    if (this.receipt.kind !== 'nodes' || e.day > this.receipt.by) return
    this.hasLeaves = [...each(this.receipt.numbers)].every((n) => leaves.state(n) !== FREE)
  }

  books(e) {
    const { receipt } = this
    if (this.outcome !== 'nothing' || receipt.kind === 'account' || e.day < receipt.by) return
    this.outcome = this.isKept() ? 'ok' : 'failed'
  }

  isKept() {
    const { receipt, causes } = this
    const isInLog = {
      withdrawal: () => causes.has('payout'),
      deposit: () => receipt.transfers.every((one) => this.transfers.has(one)),
      grant: () => causes.has('rule') || causes.has('hand'),
      unpaid: () => causes.has('unpaid') || causes.has('counted'),
    }[receipt.cause ?? 'withdrawal']()
    return isInLog && (receipt.kind === 'withdrawal' || this.hasLeaves)
  }

  /** Tick `receipts` for this receipt; `accounts` are the A of the person, if known. */
  check(report, log, accounts) {
    const { receipt } = this
    const name = `receipt of ${when(receipt.time)} (${receipt.kind})`
    const fail = (why) => report.fail('receipts', `${name}: ${why}`, receipt.note.text)
    const isReal = log.genesis.clock === 'real'
    const keyName = `${log.genesis.origin}/receipts`
    const signers = log.receiptKeys.filter(
      ({ key: one, until }) => isSignedBy(receipt.note, keyName, one) && (!isReal || receipt.time <= until + HOUR),
    )
    if (signers.length === 0) fail('not signed by a receipt key of this log that was in force')
    if (receipt.genesis !== log.genesisHash) fail('of another log')
    if (accounts && !accounts.includes(receipt.account)) fail('of another account')
    if (this.outcome === 'failed') fail('the promise is broken: the log does not contain it by its day')
    // What the log already contains stays in it: the promise is kept before its day.
    if (this.outcome === 'nothing' && receipt.kind !== 'account' && !this.isKept())
      report.set('receipts', 'nothing', `${name}: its day, ${receipt.by}, is not in the books yet`)
  }
}

const messageForm =
  /^\S+ asks you to confirm this withdrawal\.\n\nAccount: (\S+)\nAmount: ([\d.]+) XCR\nFee: ([\d.]+) XCR\nNet amount: ([\d.]+) XCR\nWithdrawal address: (0x[0-9a-f]{40})\nChain: \d{1,15}\nTime: (\S+)\nNonce: [0-9a-f]{32}$/

/** A decimal in the smallest unit. */
export function fromDecimal(text, decimals) {
  const [, whole, fraction = ''] = /^(0|[1-9][0-9]{0,30})(?:\.([0-9]{1,30}))?$/.exec(text) ?? []
  need(whole !== undefined && fraction.length <= decimals, `not an amount of XCR: ${plain(text)}`)
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

export function parseMessage(message, decimals) {
  const [, , gross, fee, net, recipient, at] = messageForm.exec(message) ?? []
  need(recipient !== undefined, 'not a withdrawal message of this product')
  const [all, ofFee, rest] = [gross, fee, net].map((text) => fromDecimal(text, decimals))
  need(all === ofFee + rest, 'a message whose amounts do not add up')
  return { message: messageHash(message), net: rest, fee: ofFee, recipient, time: time(at) }
}

/**
 * What one person knows: keys (the present proofKey and older ones), e-mail, receipts, signed messages, wallets, transfers, further numbers,
 * the balance and the debt as shown. Follows the log and then sets the six ticks of an account.
 */
export class Account {
  /** Leaves: number → earned, of the last day; groups and payouts that open to the account. */
  earned = new Map()
  ownGroups = new Map()
  ownDeposits = new Map()
  ownPayouts = new Map()
  payoutsAtBooks = new Map()
  checkedDays = 0
  isRewardDue = false

  constructor(
    report,
    { keys, email, receipts = [], messages = [], wallets = [], transfers = [], numbers: shown = [], balance = null, debt = 0n },
  ) {
    this.report = report
    this.keys = keys
    this.e = emailHash(email)
    this.accounts = keys.map((one) => accountHash(one, this.e))
    this.promises = receipts.map((receipt) => new Promised(receipt))
    this.messages = messages
    this.wallets = wallets
    this.transfers = transfers
    this.shown = shown
    this.balance = balance
    this.debt = debt
  }

  opens(text, payment) {
    const owner = text.slice(text.lastIndexOf('\nowner ') + 7, -1)
    return this.keys.some((one) => entryCommitment(one, this.e, text, payment) === owner)
  }

  /** The withdrawals that the person signed, by request: from messages, and from receipts. */
  withdrawals(log) {
    if (this.signed) return this.signed
    this.signed = new Map()
    for (const { receipt } of this.promises)
      if (receipt.kind === 'withdrawal') this.signed.set(requestOf(receipt.message), receipt)
    for (const text of this.messages) {
      const message = parseMessage(text, log.genesis.reward[2])
      this.signed.set(requestOf(message.message), message)
    }
    return this.signed
  }

  entry(e, text, log) {
    for (const promise of this.promises) promise.entry(e)
    if ((e.kind === 'deposit' || e.kind === 'grant') && e.owner !== null && this.opens(text)) {
      if (e.group !== null) this.ownGroups.set(e.group, e)
      if (e.kind === 'deposit') this.ownDeposits.set(e.transfer, e)
    }
    if (e.kind !== 'payout' || e.owner === null) return
    const signed = e.request === null ? undefined : this.withdrawals(log).get(e.request)
    if (signed) {
      const isOwn = this.opens(text, { recipient: signed.recipient, message: signed.message })
      this.ownPayouts.set(e.request, { e, isOwn, signed, recipient: signed.recipient })
    } else if (e.state === 'booked') {
      const recipient = this.wallets.find((wallet) => this.opens(text, { recipient: wallet, message: null }))
      if (recipient) this.ownPayouts.set(e.transfer, { e, isOwn: true, recipient })
    }
  }

  /** The numbers that are the account's at an instant of register time → the first instant from which they earn. */
  expected(instant) {
    const known = new Map()
    for (const { active, allocated, numbers: ranges } of this.ownGroups.values())
      if (allocated <= instant) for (const n of each(ranges)) known.set(n, active)
    for (const { receipt } of this.promises)
      if (receipt.kind === 'nodes' && receipt.time <= instant) for (const n of each(receipt.numbers)) known.set(n, receipt.active)
    return known
  }

  day(e, leaves) {
    const { report } = this
    for (const promise of this.promises) promise.day(e, leaves)
    this.checkedDays++
    const nine = nineOf(e.day)
    const expected = this.expected(nine)
    const secrets = this.keys.map((one) => daySecret(one, e.day))
    const before = this.earned
    this.earned = new Map()
    for (let n = 1; n <= leaves.size; n++) {
      if (leaves.state(n) === FREE) continue
      const leaf = parseLeaf(leaves.raw(n))
      if (!secrets.some((secret) => nodeCommitment(secret, e.day, n, this.e).equals(leaf.commitment))) continue
      const raw = leaves.raw(n).toString('hex')
      report.check(
        'nodes',
        expected.has(n),
        `day ${e.day}, number ${n}: opens to this account, but no receipt and no entry of it has this number`,
        raw,
      )
      this.earned.set(n, leaf.earned)
    }
    for (const [n, active] of expected) {
      const state = leaves.state(n)
      const raw = n <= leaves.size ? leaves.raw(n).toString('hex') : 'no leaf'
      if (!report.check('nodes', this.earned.has(n), `day ${e.day}, number ${n}: the leaf does not open to this account`, raw))
        continue
      const should = active <= nine ? ACTIVE : WAITING
      report.check(
        'nodes',
        state === FROZEN || state === should,
        `day ${e.day}, number ${n}: shown as ${STATES[state]}, not ${STATES[should]}`,
        raw,
      )
      const more = this.earned.get(n) - (before.get(n) ?? 0n)
      if (active > nine || state === FROZEN) continue
      this.isRewardDue = true
      report.check('rewards', more >= e.rate, `day ${e.day}, number ${n}: earned ${more}, not ${e.rate}`, raw)
    }
  }

  books(e) {
    for (const promise of this.promises) promise.books(e)
    this.payoutsAtBooks = new Map(this.ownPayouts)
  }

  /** The six ticks, after the whole log. */
  async finish({ log, chains, now }) {
    const { report } = this
    const last = log.lastDay
    const mine = last ? this.expected(nineOf(last.day)) : new Map()
    for (const n of this.shown.flatMap((ranges) => [...each(ranges)]))
      report.check(
        'nodes',
        mine.has(n) && this.earned.has(n),
        `number ${n}: shown to the account, but not its number in the register`,
      )
    if (mine.size === 0)
      for (const tick of ['nodes', 'rewards']) report.set(tick, 'nothing', 'the account has no node in the register yet')
    if (!this.isRewardDue) report.set('rewards', 'nothing', 'no node of the account has been active yet')
    report.ok(
      'nodes',
      `${mine.size} node(s) are in the register of ${last?.day} and open with this key and e-mail (${this.checkedDays} days)`,
    )
    report.ok('rewards', `each node earned every day's rate while it was active (${this.checkedDays} days)`)
    this.checkReceipts(log, now)
    await report.part('payouts', () => this.checkPayouts(log, chains))
    this.checkBalance(log)
    await report.part('deposits', () => this.checkDeposits(log, chains, mine))
  }

  checkReceipts(log, now) {
    const { report } = this
    for (const promise of this.promises) promise.check(report, log, this.accounts)
    const registerNow = log.genesis.clock === 'real' ? now : nineOf(log.lastDay?.day ?? '1970-01-01')
    const held = this.promises.map(({ receipt }) =>
      receipt.kind === 'nodes' ? `${textOf(receipt.numbers)} ${receipt.active}` : '',
    )
    for (const e of this.ownGroups.values()) {
      const isDue = e.allocated > log.genesis.time && e.allocated + HOUR < registerNow
      const isHeld = held.includes(`${textOf(e.numbers)} ${e.active}`)
      report.check('receipts', !isDue || isHeld, `no receipt for group ${e.group}, numbers ${textOf(e.numbers)}`)
    }
    if (this.promises.length === 0) report.set('receipts', 'nothing', 'no receipts were given')
    report.ok('receipts', `${this.promises.length} receipt(s) are signed and kept`)
  }

  async checkPayouts(log, chains) {
    const { report } = this
    const signed = this.withdrawals(log)
    for (const [request, terms] of signed) {
      const own = this.ownPayouts.get(request)
      const name = `withdrawal of ${terms.net} to ${terms.recipient}`
      if (!own) {
        const isDue = terms.time + MESSAGE_AGE < (log.lastBooks?.time ?? -Infinity) && terms.by === undefined
        if (isDue) report.fail('payouts', `${name}: no entry`)
        else report.set('payouts', 'nothing', `${name}: not in the register yet`)
        continue
      }
      const { e } = own
      report.check('payouts', e.net === terms.net && e.fee === terms.fee, `${name}: entry ${e.index} has other amounts`)
      report.check('payouts', own.isOwn, `${name}: entry ${e.index} does not open with this recipient and message`)
    }
    for (const { e, recipient } of this.ownPayouts.values()) {
      if (e.transfer === null) continue
      const [chain, token] = log.genesis.reward
      const [transaction, ordinal] = e.transfer.split(' ')
      for (const rpc of rpcsOf(chains, chain)) {
        const one = (await rpc.transfersIn(token, transaction))?.[Number(ordinal)]
        report.check(
          'payouts',
          one?.to === recipient && one.amount === e.net,
          `entry ${e.index}: transfer ${e.transfer} does not pay ${e.net} to ${recipient}`,
        )
      }
    }
    if (this.ownPayouts.size === 0) report.set('payouts', 'nothing', 'no withdrawal was signed')
    report.ok('payouts', `${this.ownPayouts.size} withdrawal(s) are those that were signed`)
  }

  checkBalance(log) {
    const { report } = this
    if (this.balance === null) return void report.set('balance', 'nothing', 'no balance was given to compare with')
    if (!log.lastBooks) return void report.set('balance', 'nothing', 'there are no books yet')
    const earned = [...this.earned.values()].reduce((sum, one) => sum + one, 0n)
    const withdrawn = [...this.payoutsAtBooks.values()]
      .filter(({ e }) => e.state !== 'refunded')
      .reduce((sum, { e }) => sum + e.net + e.fee, 0n)
    const isSame = this.balance - this.debt === earned - withdrawn
    report.check(
      'balance',
      isSame,
      `earned ${earned}, withdrawn ${withdrawn}: the balance is ${earned - withdrawn}, not ${this.balance - this.debt}`,
    )
    report.ok('balance', `the balance is what the nodes earned (${earned}) less the withdrawals (${withdrawn})`)
  }

  /** From the person's receipts, list and wallets; never from the register's list. */
  async checkDeposits(log, chains, mine) {
    const { report } = this
    const last = log.lastBooks?.['payment-block']?.[0] ?? -1
    const paid = new Map(this.transfers.map((one) => [one, false]))
    for (const { receipt, outcome } of this.promises)
      for (const one of receipt.transfers ?? []) paid.set(one, outcome !== 'nothing' || paid.get(one) === true)
    for (const [one, isPromised] of paid) {
      const e = log.deposits.get(one)
      if (e) this.checkDeposit(log, e, mine)
      else if (isPromised) report.fail('deposits', `${one}: no entry`)
      else await this.checkMissing(log, chains, one, last)
    }
    if (this.wallets.length > 0) {
      const [chain, token] = log.genesis.payment
      const recipients = [...log.addresses.deposit.keys()]
      const from = Math.min(...[...log.addresses.deposit.values()].map(({ block }) => block))
      const [rpc] = rpcsOf(chains, chain)
      const found =
        recipients.length === 0 ? [] : await rpc.transfers(token, { from, to: last, senders: this.wallets, recipients })
      for (const one of found.filter(({ amount: value }) => value > 0n)) {
        const e = [...log.deposits.values()].find(
          ({ transfer: its, block }) => its.startsWith(one.transaction) && block?.[0] === one.block && block[1] === one.logIndex,
        )
        if (report.check('deposits', e, `${one.transaction}: a payment of ${one.amount} from ${one.from} has no entry`)) {
          paid.set(e.transfer, true)
          this.checkDeposit(log, e, mine)
        }
      }
    }
    if (paid.size === 0) report.set('deposits', 'nothing', 'no payment is known from receipts, transfers or wallets')
    report.ok('deposits', `${paid.size} payment(s) are counted, with their nodes, or refunded`)
  }

  async checkMissing(log, chains, one, last) {
    const [chain, token] = log.genesis.payment
    const transfers = await rpcsOf(chains, chain)[0].transfersIn(token, one.slice(0, 66))
    const block = transfers?.[0]?.block ?? Infinity
    if (block <= last) this.report.fail('deposits', `${one}: no entry`)
    else this.report.set('deposits', 'nothing', `${one}: not in the register yet`)
  }

  checkDeposit(log, e, mine) {
    const { report } = this
    const name = `${e.transfer}, entry ${e.index}`
    if (e.decision === 'counted') {
      const own = this.ownDeposits.get(e.transfer)
      report.check('deposits', own === e, `${name}: counted for another account`)
      const isShown = !log.lastDay || e.allocated > nineOf(log.lastDay.day)
      report.check(
        'deposits',
        isShown || [...each(e.numbers)].every((n) => mine.has(n)),
        `${name}: its nodes are not the account's`,
      )
    } else if (e.decision === 'refunded')
      report.check('deposits', 2n * e.returned >= e.amount, `${name}: less than half was returned`)
    else if (e.decision === 'ignored') {
      const price = log.settings.price.at(e.mined)
      report.check('deposits', price && e.amount < price.value, `${name}: ignored, although it is not below the price`)
    } else if (e.decision !== 'vanished') report.set('deposits', 'nothing', `${name}: ${e.decision}`)
  }
}

// ─── Commands ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const PUBLIC_TICKS = [
  'signature',
  'entries',
  'growth',
  'anchors',
  'fresh',
  'days',
  'notice',
  'E1',
  'E2',
  'E3',
  'E4',
  'E5',
  'E6',
  'E7',
  'E8',
  'release',
]
const DAY_TICKS = ['signature', 'entries', 'anchors', 'days', 'notice', 'E1', 'E2', 'E3', 'E4', 'E8']
const ACCOUNT_TICKS = ['nodes', 'rewards', 'balance', 'deposits', 'payouts', 'receipts']
const TICKS = {
  all: PUBLIC_TICKS,
  day: DAY_TICKS,
  account: [...PUBLIC_TICKS, ...ACCOUNT_TICKS],
  receipt: ['signature', 'entries', 'receipts'],
}

/**
 * Runs one command. `options`: site, origin (a host), rpcs, rewardRpcs, genesis and logKey (base64), day, receipts (parsed), account (see Account), memory
 * ({ genesis, size, root } of the last visit), running (SHA-256 of this file), now, timeout in milliseconds.
 */
export async function verify(command, options) {
  let report = await verifyOnce(command, options)
  // An anchor may have become final after the checkpoint was read; then a newer checkpoint covers it.
  if (report.isBehind) report = await verifyOnce(command, options)
  return report
}

async function verifyOnce(command, options) {
  const { site: address, rpcs = [], rewardRpcs = [], now = Date.now(), timeout = 60_000 } = options
  const report = new Report()
  const site = new Site(address, timeout)
  const account = command === 'account' ? new Account(report, options.account) : null
  const promises = command === 'receipt' ? options.receipts.map((receipt) => new Promised(receipt)) : []
  const only = command === 'day' ? options.day : command === 'receipt' ? (promises[0].receipt.by ?? 'none') : null
  const log = new Log(report, {
    only,
    watchers: account ? [account] : promises,
    readDay: async (date, size) => ({ leaves: await site.day(date, size), hashes: await site.dayHashes(date, size) }),
  })
  let isComplete = false
  let hashes = []
  const checkpoint = await report.part('signature', async () => parseCheckpoint(await readCheckpoint(site, report, options)))
  if (
    checkpoint &&
    report.check('entries', checkpoint.size > 0 && checkpoint.size <= LIMIT.entries, `a log of ${checkpoint.size} entries`)
  ) {
    try {
      isComplete =
        (await report.part('entries', async () => {
          hashes = await site.hashes('log/hashes.bin', checkpoint.size)
          report.check('entries', rootOf(hashes).equals(checkpoint.root), "log/hashes.bin does not have the checkpoint's root")
          await readLog(site, log, hashes, report)
          return true
        })) === true
    } catch (error) {
      if (!(error instanceof Stop)) throw error
    }
  }
  if (log.genesis) describe(report, log, options)
  if (isComplete) {
    log.close()
    checkSignature(report, log, checkpoint, options)
    report.ok('entries', `${log.index + 1} entries are well-formed, in order, and have the checkpoint's root`)
    const urls = [...rpcs, ...rewardRpcs]
    const sellerRpc = rewardRpcs.length === 0 && command !== 'day' ? await rewardRpcOf(site) : undefined
    const chains = await connect(urls, timeout)
    const [rewardChain] = log.genesis.reward
    if (sellerRpc && !chains.of.has(rewardChain)) {
      const [rpc] = (await connect([sellerRpc], timeout)).of.get(rewardChain) ?? []
      if (rpc) chains.of.set(rewardChain, [rpc])
    }
    if (TICKS[command].includes('anchors')) {
      const anchors = await checkAnchors({ report, log, chains, hashes })
      checkTimes({ report, log, anchors, now })
    }
    if (command === 'all' || command === 'account') {
      await checkChains({
        report,
        log,
        chains,
        sellerRpc: sellerRpc !== undefined && chains.of.get(rewardChain)?.[0]?.url === sellerRpc,
      })
      checkGrowth(report, log, hashes, options.memory)
      checkRelease(report, log, options.running)
    }
    await account?.finish({ log, chains, now })
    finishEquations(report, log, command, options)
    if (command === 'receipt') {
      for (const promise of promises) promise.check(report, log, options.accounts)
      report.ok('receipts', 'the receipt is signed, and the log keeps its promise')
    }
  }
  for (const tick of TICKS[command])
    if (!report.ticks.has(tick))
      report.set(
        tick,
        'unknown',
        `not checked: ${report.isPublished ? 'the log could not be read to its end' : 'nothing has been published yet'}`,
      )
  report.ticks = new Map(TICKS[command].map((tick) => [tick, report.ticks.get(tick)]))
  report.counts = countsOf(log)
  report.seen = isComplete ? { genesis: log.genesisHash, size: hashes.length, root: checkpoint.root.toString('base64') } : null
  return report
}

/** A site without a register says nothing, unless the reader knows of one: a log that it saw, or a first entry. */
async function readCheckpoint(site, report, { genesis, memory }) {
  try {
    return await site.checkpoint()
  } catch (error) {
    if (!(error instanceof NotPublished)) throw error
    report.isPublished = false
    const gone = 'the site answers that it has no register'
    if (memory) report.fail('growth', `${gone}, but a log of ${memory.size} entries was seen before`, memory.root)
    if (genesis) report.fail('signature', `${gone}, but its first entry has the hash ${genesis}`)
    throw error
  }
}

async function readLog(site, log, hashes, report) {
  const blocks = await site.hashes('log/blocks.bin', Math.floor(hashes.length / BLOCK))
  for (let file = 0; file * BLOCK < hashes.length; file++) {
    const first = file * BLOCK
    const wanted = Math.min(BLOCK, hashes.length - first)
    const texts = await site.entries(file, wanted, wanted === BLOCK)
    const found = texts.map((text) => leafHash(ascii(text)))
    if (wanted === BLOCK)
      report.check('entries', blocks[file].equals(rootOf(found)), `log/blocks.bin: block ${file} has another hash`)
    for (const [index, text] of texts.entries()) {
      report.check(
        'entries',
        found[index].equals(hashes[first + index]),
        `entry ${first + index}: log/hashes.bin has another hash`,
        text,
      )
      await log.add(text, found[index])
    }
  }
}

function describe(report, log, { genesis }) {
  if (log.genesis.clock === 'demo') report.header.push('THIS IS A DEMO. Its days and times prove nothing.')
  report.header.push(`log: ${log.genesis.origin}`)
  report.header.push(
    `genesis: ${log.genesisHash}${genesis ? '' : " (taken from the log: compare it with your receipt's, or give it as --genesis)"}`,
  )
}

function checkSignature(report, log, checkpoint, { genesis, logKey, site, origin = new URL(site).host }) {
  const isOfSite = log.genesis.clock === 'demo' || log.genesis.origin === `${origin}/register`
  report.check('signature', isOfSite, `the register of ${log.genesis.origin}, not of ${origin}/register`)
  report.check('signature', !genesis || log.genesisHash === genesis, `entry 0 has the hash ${log.genesisHash}, not the one given`)
  report.check('signature', checkpoint.origin === log.genesis.origin, 'a checkpoint of another origin')
  const inForce = log.logKeyAt(checkpoint.size, logKey)
  if (inForce)
    report.check(
      'signature',
      isSignedBy(checkpoint.note, log.genesis.origin, inForce),
      'not signed by the log key in force',
      checkpoint.note.text,
    )
  report.ok('signature', `the checkpoint of ${checkpoint.size} entries is signed by the key of the log`)
}

function checkGrowth(report, log, hashes, memory) {
  if (!memory) return void report.set('growth', 'nothing', 'no earlier visit is remembered')
  const isSame = memory.genesis === log.genesisHash && memory.size <= hashes.length
  const root = isSame && rootOf(hashes.slice(0, memory.size)).toString('base64')
  report.check(
    'growth',
    root === memory.root,
    `the log of ${memory.size} entries seen before is not the beginning of this one`,
    memory.root,
  )
  report.ok('growth', `the log of ${memory.size} entries seen before is the beginning of this one`)
}

function checkRelease(report, log, running) {
  if (running && log.releases.has(running)) report.ok('release', 'the log names the hash of this verifier')
  else report.set('release', 'nothing', `no entry names the hash of this verifier${running ? `, ${running}` : ''}`)
}

function finishEquations(report, log, command, { day: date }) {
  const hasDay = command === 'day' ? log.days.some((one) => one.day === date) : log.lastDay !== null
  const what = command === 'day' ? `day ${date}` : `${log.days.length} days`
  const texts = {
    E1: `${what}: one leaf for each number, and the published counts`,
    E2: `${what}: each owned node belongs to one purchase or grant, and USDT add up`,
    E3: `${what}: bonus nodes within the rule`,
    E4: `${what}: each active node earned the rate, no other earned anything`,
    E5: `${log.books.length} books: earned + debts = owed + withdrawn`,
    E8: `${what}: kinds stay, nothing goes back, each state follows from its purchase`,
  }
  for (const [tick, text] of Object.entries(texts)) {
    if (!TICKS[command].includes(tick)) continue
    if (hasDay) report.ok(tick, text)
    else report.set(tick, 'nothing', command === 'day' ? `day ${date} is not in the log` : 'no day has been paid yet')
  }
}

/** The site's own RPC of the reward chain, used where the person names none; the ticks say so. */
async function rewardRpcOf(site) {
  try {
    const bytes = await download(`${site.base}/api/config`, { limit: 65_536, timeout: site.timeout })
    const url = JSON.parse(bytes.toString('utf8')).rewardChain.rpcUrls[0]
    return /^https?:\/\/[!-~]{1,300}$/.test(url) ? url : undefined
  } catch {
    return undefined
  }
}

function countsOf(log) {
  let nodes = 0
  for (let n = 1; n <= log.leaves.size; n++) if (log.leaves.state(n) !== FREE) nodes++
  const payouts = [...log.payouts.values()].filter(({ transfer: one }) => one !== null).length
  return { days: log.days.length, nodes, deposits: log.deposits.size, payouts }
}

// ─── Output and arguments ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function print(report, write) {
  for (const line of report.header) write(line)
  for (const [name, { outcome, detail, evidence, more }] of report.ticks) {
    write(`${outcome.padEnd(8)} ${name.padEnd(10)} ${detail}${more ? ` (and ${more} more)` : ''}`)
    if (outcome === 'failed' && evidence)
      for (const line of evidence.slice(0, 4_000).trimEnd().split('\n')) write(`           | ${line}`)
  }
  const [failed, unknown] = [report.named('failed'), report.named('unknown')]
  if (unknown.length > 0) write(`could not look: ${unknown.join(', ')}`)
  const { days, nodes, deposits, payouts } = report.counts
  if (failed.length > 0) write(`failed: ${failed.join(', ')}`)
  else write(`verified: ${days} days, ${nodes} nodes, ${deposits} deposits, ${payouts} payouts`)
}

const USAGE = `Usage: node verify.mjs <command> --site <url> [options]

  all                 the whole log, the anchors and both chains
  day <day>           one day, as 2026-11-23
  account             all, and the nodes, rewards, balance, deposits, payouts and receipts of one account
  receipt <file>      one receipt

  --site <url>        the site, as https://nodes.example.com, or a mirror of its files
  --origin <host>     the site whose register it must be, as nodes.example.com; without it, the host of --site
  --rpc <url>         an RPC that you trust, of the payment chain; may be repeated
  --reward-rpc <url>  an RPC of the reward chain; without it, the one that the site names; may be repeated
  --genesis <hash>    the hash of the first entry; it is in every receipt
  --log-key <key>     a log key to accept although the old key was lost
  --memory <file>     remembers the log that was seen, for tick growth
  --timeout <s>       for each answer; 60

  of an account:
  --key <key>         the proof key, base64 or hex; repeated for older ones (or --key-file <file>)
  --email <e-mail>
  --receipt <file>    a receipt; may be repeated
  --message <file>    a signed withdrawal message; may be repeated
  --wallet <address>  a wallet that you pay from, or were paid to; may be repeated
  --transfer <t>      a payment, as "0x… 0"; may be repeated
  --numbers <n>       node numbers that the site shows you, as 1-12,17
  --balance <xcr>     the balance that the site shows you as of the last books; --debt <xcr> likewise

Exit code: 0 all is well, 1 a check failed, 2 something could not be looked at, 64 wrong use.`

/** A wrong use of the command line. */
class Misuse extends Error {}

const many = { type: 'string', multiple: true, default: [] }
const one = { type: 'string' }
const ARGUMENTS = {
  site: one,
  origin: one,
  rpc: many,
  'reward-rpc': many,
  genesis: one,
  'log-key': one,
  memory: one,
  timeout: one,
  key: many,
  'key-file': many,
  email: one,
  receipt: many,
  message: many,
  wallet: many,
  transfer: many,
  numbers: one,
  balance: one,
  debt: one,
}

/** Values of the person are misuse where they have no such form. */
function given(read, value, name) {
  try {
    return read(value)
  } catch (error) {
    throw new Misuse(`${name}: ${error.message}`)
  }
}

function readInput(file) {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Misuse(`${file}: ${error.message}`)
  }
}

const proofKey = (text) => (/^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : hashBytes(text))
const host = pattern(/^[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?$/, 'a host')
const url = (text) => {
  need(/^https?:\/\//.test(text) && URL.canParse(text), 'not an http address')
  return text
}

function readArguments(argv) {
  let parsed
  try {
    parsed = parseArgs({ args: argv, options: ARGUMENTS, allowPositionals: true })
  } catch (error) {
    throw new Misuse(error.message)
  }
  const { values, positionals } = parsed
  const [command, operand, ...rest] = positionals
  const takesOperand = command === 'day' || command === 'receipt'
  if (!Object.hasOwn(TICKS, command ?? '') || rest.length > 0 || (operand !== undefined) !== takesOperand)
    throw new Misuse('an unknown command')
  if (!values.site) throw new Misuse('--site is missing')
  const options = {
    site: given(url, values.site, '--site'),
    origin: values.origin && given(host, values.origin, '--origin'),
    rpcs: values.rpc.map((text) => given(url, text, '--rpc')),
    rewardRpcs: values['reward-rpc'].map((text) => given(url, text, '--reward-rpc')),
    genesis: values.genesis && given(hash, values.genesis, '--genesis'),
    logKey: values['log-key'] && given(key, values['log-key'], '--log-key'),
    timeout: values.timeout === undefined ? 60_000 : given(number, values.timeout, '--timeout') * 1_000,
    running: sha256(readFileSync(fileURLToPath(import.meta.url))).toString('base64'),
    memory: readMemory(values.memory),
  }
  if (command === 'day') options.day = given(day, operand, 'day')
  const receiptOf = (file) => given(parseReceipt, readInput(file), file)
  if (command === 'receipt') options.receipts = [receiptOf(operand)]
  const keys = [...values.key, ...values['key-file'].map((file) => readInput(file).toString('latin1').trim())].map((text) =>
    given(proofKey, text, '--key'),
  )
  if (command === 'receipt' && keys.length > 0 && values.email)
    options.accounts = keys.map((item) => accountHash(item, emailHash(values.email)))
  if (command === 'account') {
    if (keys.length === 0 || !values.email) throw new Misuse('account needs --key and --email')
    // Both tokens of the product have 18 decimals; a log with others has amounts that do not fit, and the tick fails.
    const xcr = (text, name) => given((item) => fromDecimal(item, 18), text, name)
    options.account = {
      keys,
      email: values.email,
      receipts: values.receipt.map(receiptOf),
      messages: values.message.map((file) => readInput(file).toString('utf8').replace(/\n$/, '')),
      wallets: values.wallet.map((text) => given(address, text.toLowerCase(), '--wallet')),
      transfers: values.transfer.map((text) => given(transfer, text, '--transfer')),
      numbers: values.numbers === undefined ? [] : [given(numbers, values.numbers, '--numbers')],
      balance: values.balance === undefined ? null : xcr(values.balance, '--balance'),
      debt: values.debt === undefined ? 0n : xcr(values.debt, '--debt'),
    }
  }
  return { command, options, memoryFile: values.memory }
}

function readMemory(file) {
  if (file === undefined) return null
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw new Misuse(`${file}: ${error.message}`)
  }
  return given(
    (item) => {
      const { genesis, size, root } = JSON.parse(item)
      return { genesis: hash(genesis), size: count(String(size)), root: hash(root) }
    },
    text,
    file,
  )
}

export async function main(argv, write) {
  let input
  try {
    input = readArguments(argv)
  } catch (error) {
    if (!(error instanceof Misuse)) throw error
    write(`${error.message}\n\n${USAGE}`)
    return 64
  }
  const report = await verify(input.command, input.options)
  print(report, write)
  if (input.memoryFile && report.seen && report.named('failed').length === 0)
    writeFileSync(input.memoryFile, `${JSON.stringify(report.seen)}\n`)
  return report.exitCode
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isProgram) process.exitCode = await main(process.argv.slice(2), (line) => console.log(line))
