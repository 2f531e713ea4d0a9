import type { Entry, EntryOf } from '#shared/register/entryForms.ts'
import type { NodeKind } from '#shared/register/nodeLeaf.ts'
import type { Range, Transfer } from '#shared/register/values.ts'
import type { Leaves } from './Leaves.ts'

/** An entry at its place. */
export type At<Kind extends Entry['kind']> = EntryOf<Kind> & { index: number }

/** The bytes of a day's files. */
export interface DayFiles {
  leaves: Uint8Array
  hashes: readonly Uint8Array[]
}

/** Follows the log: an account, or a receipt. */
export interface Watcher {
  entry?(entry: Entry & { index: number }, text: string): void
  day?(entry: At<'day'>, leaves: Leaves): void
  books?(entry: At<'books'>): void
}

/** One text for each transfer. */
export const transferId = ({ transaction, ordinal }: Transfer): string => `${transaction} ${ordinal}`

export type GrantCause = EntryOf<'grant'>['cause']

/** A deposit's current entry. */
export type KnownDeposit = At<'deposit'> & {
  /** The block's time in the first entry that has one. */
  firstMined: Date | null
}

/** The nodes of one purchase or grant (format.md §5.2). */
export interface Group {
  id: number
  numbers: readonly Range[]
  allocated: Date
  active: Date
  /** Numbers and times: the same in all of its entries. */
  facts: string
  causes: Set<GrantCause | 'deposit'>
  /** Of its deposits. */
  terms: { price: bigint; priced: Date } | null
  /** Counted and orphaned deposits by transfer. */
  current: Map<string, KnownDeposit>
  /** When which deposit was orphaned, and until when. */
  orphans: { transfer: string; from: Date; until: Date | null }[]
}

export const sizeOf = (ranges: readonly Range[]): number => ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)

export function* each(ranges: readonly Range[]): Generator<number> {
  for (const { first, last } of ranges) for (let number = first; number <= last; number++) yield number
}

export const kindOf = ({ causes }: Group): NodeKind =>
  causes.has('hand') || causes.has('gift') ? 'granted' : causes.has('rule') ? 'bonus' : 'paid'

export const isOrphaned = ({ orphans }: Group): boolean => orphans.some(({ until }) => until === null)

export const receivedOf = ({ current }: Group): bigint => [...current.values()].reduce((sum, { amount }) => sum + amount, 0n)

export interface ClosedDay {
  day: string
  due: Date
  paid: Date
  rate: bigint
  earned: bigint
  active: number
  owned: number
  supply: number
  /** Of its entry. */
  index: number
  /** Whether a note before it says that it was paid or published late. */
  isCaughtUp: boolean
}

export interface RateChange {
  day: string
  /** The instant by which the rate had to be announced. */
  cut: Date
  /** Of the rate's entry. */
  index: number
  /** Of the last books up to that instant. */
  booksIndex: number
}
