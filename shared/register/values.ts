import { bytesToHex } from '@noble/hashes/utils.js'
import { DAY, utcDay } from '#shared/dates.ts'
import { fromBase64, toBase64 } from './bytes.ts'
import { demand, FormatError } from './FormatError.ts'

/** The only text of a value. `read` refuses every other one. */
export interface Codec<Value> {
  write(value: Value): string
  /** @throws {FormatError} */
  read(text: string): Value
}

export type Hex = `0x${string}`

/** The largest node number and supply. */
export const MAX_NUMBER = 1_000_000
const MAX_AMOUNT = 2n ** 128n - 1n

/** A codec whose values are written by one function. A text is valid if its value is written as the same text. */
function canonical<Value>(
  name: string,
  write: (value: Value) => string,
  read: (text: string) => Value | undefined,
): Codec<Value> {
  return {
    write(value) {
      const text = write(value)
      demand(read(text) !== undefined, `${name} ${text} cannot be written`)
      return text
    },
    read(text) {
      const value = read(text)
      if (value === undefined || write(value) !== text) throw new FormatError(`${text.slice(0, 80)} is no ${name}`)
      return value
    },
  }
}

const pattern = <Value extends string>(name: string, form: RegExp): Codec<Value> =>
  canonical<Value>(
    name,
    (value) => value,
    (text) => (form.test(text) ? (text as Value) : undefined),
  )

const integer = (name: string, { min, max }: { min: bigint; max: bigint }): Codec<bigint> =>
  canonical(name, String, (text) => {
    if (!/^\d{1,39}$/.test(text)) return undefined
    const value = BigInt(text)
    return value >= min && value <= max ? value : undefined
  })

const small = (name: string, range: { min: number; max: number }): Codec<number> => {
  const wide = integer(name, { min: BigInt(range.min), max: BigInt(range.max) })
  return {
    write(value) {
      demand(Number.isSafeInteger(value), `${value} is no ${name}`)
      return wide.write(BigInt(value))
    },
    read: (text) => Number(wide.read(text)),
  }
}

/** An amount in the token's smallest unit. */
export const amount = integer('amount', { min: 0n, max: MAX_AMOUNT })
export const positiveAmount = integer('amount above 0', { min: 1n, max: MAX_AMOUNT })
export const count = small('count', { min: 0, max: Number.MAX_SAFE_INTEGER })
export const groupId = small('group', { min: 1, max: Number.MAX_SAFE_INTEGER })
/** A node's number, or a supply. */
export const nodeNumber = small('node number', { min: 1, max: MAX_NUMBER })

/** A time in milliseconds, of the years 1970 to 2199. */
export const instant: Codec<Date> = canonical(
  'time',
  (value) => value.toISOString(),
  (text) => {
    const value = /^(19[7-9]|2[01]\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? new Date(text) : undefined
    return value && !Number.isNaN(value.getTime()) ? value : undefined
  },
)

/** A day (YYYY-MM-DD, UTC). */
export const day: Codec<string> = canonical(
  'day',
  (value) => value,
  (text) => {
    if (!/^(19[7-9]|2[01]\d)\d-\d\d-\d\d$/.test(text)) return undefined
    const start = Date.parse(`${text}T00:00:00.000Z`)
    return !Number.isNaN(start) && utcDay(new Date(start + DAY / 2)) === text ? text : undefined
  },
)

/** Bytes of a fixed length in base64. */
export const base64 = (length: number, isValid: (bytes: Uint8Array) => boolean = () => true): Codec<Uint8Array> =>
  canonical(`base64 of ${length} bytes`, toBase64, (text) => {
    // The comparison with the written form refuses a text that is another one of these bytes.
    const bytes = fromBase64(text)
    return bytes?.length === length && isValid(bytes) ? bytes : undefined
  })

export const hash = base64(32)
/**
 * The points of small order, by their y in hex. With such a key one signature fits many texts, so that it proves nothing.
 */
const smallOrder = new Set([
  `00${'00'.repeat(31)}`,
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
])

/** 01 and an Ed25519 public key. */
export const publicKey = base64(33, ([type, ...point]) => {
  point[31]! &= 0x7f
  return type === 1 && !smallOrder.has(bytesToHex(Uint8Array.from(point)))
})

export const address: Codec<Hex> = pattern('address', /^0x[0-9a-f]{40}$/)
/** A transaction's or block's hash. */
export const word: Codec<Hex> = pattern('hash', /^0x[0-9a-f]{64}$/)
export const walletSignature: Codec<Hex> = pattern('signature', /^0x([0-9a-f]{2}){1,1024}$/)
export const chainId = small('chain id', { min: 1, max: 999_999_999_999_999 })
/** A sentence in printable ASCII. */
export const sentence: Codec<string> = pattern('text', /^(?!-$)[!-~]([ -~]{0,198}[!-~])?$/)
/** The site's host and the register's path. */
export const origin: Codec<string> = pattern('origin', /^[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?\/register$/)

export const oneOf = <const Choices extends readonly string[]>(...choices: Choices): Codec<Choices[number]> =>
  canonical<Choices[number]>(
    `word of ${choices.join(', ')}`,
    (value) => value,
    (text) => choices.find((choice) => choice === text),
  )

/** A value, or a dash for nothing. */
export const optional = <Value>({ write, read }: Codec<Value>): Codec<Value | null> => ({
  write: (value) => (value === null ? '-' : write(value)),
  read: (text) => (text === '-' ? null : read(text)),
})

/** Values with a space between them, as an object whose properties have their order. */
export function words<Values extends object>(parts: { [Name in keyof Values]: Codec<Values[Name]> }): Codec<Values> {
  const names = Object.keys(parts) as (keyof Values)[]
  return {
    write: (values) => names.map((name) => parts[name].write(values[name])).join(' '),
    read(text) {
      const texts = text.split(' ')
      demand(texts.length === names.length, `${text.slice(0, 80)} has not ${names.length} words`)
      return Object.fromEntries(names.map((name, index) => [name, parts[name].read(texts[index]!)])) as Values
    },
  }
}

/** Values joined by commas, each above the one before. */
export const rising = <Value>(item: Codec<Value>, isAbove: (value: Value, before: Value) => boolean): Codec<readonly Value[]> => {
  const check = (values: readonly Value[]) => {
    demand(values.length > 0, 'The list is empty')
    for (let index = 1; index < values.length; index++)
      demand(isAbove(values[index]!, values[index - 1]!), 'The list is out of order')
    return values
  }
  return {
    write: (values) => check(values).map(item.write).join(','),
    read: (text) => check(text.split(',').map(item.read)),
  }
}

export interface Transfer {
  transaction: Hex
  /** The index among those transfers of the transaction that its line counts. */
  ordinal: number
}

export const transfer: Codec<Transfer> = words<Transfer>({ transaction: word, ordinal: count })
export const transfers = rising(transfer, (a, b) =>
  a.transaction === b.transaction ? a.ordinal > b.ordinal : a.transaction > b.transaction,
)

/** Node numbers from first to last, both included. */
export interface Range {
  first: number
  last: number
}

const range: Codec<Range> = {
  write({ first, last }) {
    demand(first <= last, 'The range falls')
    return first === last ? nodeNumber.write(first) : `${nodeNumber.write(first)}-${nodeNumber.write(last)}`
  },
  read(text) {
    const [start, end, ...rest] = text.split('-')
    const first = nodeNumber.read(start!)
    const last = end === undefined ? first : nodeNumber.read(end)
    demand(rest.length === 0 && (end === undefined || last > first), `${text.slice(0, 80)} is no range`)
    return { first, last }
  },
}

/** Node numbers as ranges that neither touch nor overlap. */
export const numbers = rising(range, (a, b) => a.first > b.last + 1)

export const rangesOf = (sorted: readonly number[]): Range[] => {
  const ranges: Range[] = []
  for (const number of sorted) {
    const last = ranges.at(-1)
    if (last && number === last.last + 1) last.last = number
    else ranges.push({ first: number, last: number })
  }
  return ranges
}

export interface Credit extends Range {
  /** For each number of the range. */
  amount: bigint
}

const credit: Codec<Credit> = {
  write: ({ amount, ...of }) => `${range.write(of)}:${positiveAmount.write(amount)}`,
  read(text) {
    const [of, each, ...rest] = text.split(':')
    demand(each !== undefined && rest.length === 0, `${text.slice(0, 80)} is no credit`)
    return { ...range.read(of!), amount: positiveAmount.read(each) }
  },
}

/** Credits of numbers; neighbors with one amount are one range. */
export const credits = rising(credit, (a, b) => a.first > b.last && (a.first > b.last + 1 || a.amount !== b.amount))

export const addresses = rising(address, (a, b) => a > b)

export interface Balance {
  address: Hex
  amount: bigint
}

/** The balances of wallets. */
export const balances: Codec<readonly Balance[]> = rising(
  {
    write: ({ address: of, amount: held }: Balance) => `${address.write(of)}:${amount.write(held)}`,
    read(text) {
      const [of, held, ...rest] = text.split(':')
      demand(held !== undefined && rest.length === 0, `${text.slice(0, 80)} is no balance`)
      return { address: address.read(of!), amount: amount.read(held) }
    },
  },
  (a, b) => a.address > b.address,
)

export interface Block {
  number: number
  hash: Hex
  time: Date
}

export const block: Codec<Block> = words<Block>({ number: count, hash: word, time: instant })

/** A public key (33 bytes) or a hash (32 bytes); their texts differ in padding. */
export const keyOrHash: Codec<Uint8Array> = {
  write: (bytes) => (bytes.length === 33 ? publicKey : hash).write(bytes),
  read: (text) => (text.endsWith('=') ? hash : publicKey).read(text),
}
