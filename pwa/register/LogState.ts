import type { EntryOf } from '#shared/register/entryForms.ts'
import { type Leaves, NO_LEAVES } from './Leaves.ts'
import type { At, ClosedDay, DayFiles, Group, KnownDeposit, RateChange, Watcher } from './logTypes.ts'
import type { Report, TickName } from './Report.ts'
import { Settings } from './Settings.ts'

interface LogKey {
  /** The size from which it is in force. */
  since: number
  key: Uint8Array
  /** Whether the key before signed the change. */
  isProven: boolean
  text: string
}

interface LogOptions {
  report: Report
  readDay: (day: string, size: number) => Promise<DayFiles>
  watchers?: readonly Watcher[]
}

/** What the entries up to one of them say. */
export class LogState {
  readonly report: Report
  readonly readDay: LogOptions['readDay']
  readonly watchers: readonly Watcher[]
  index = -1
  /** The entry that is read. */
  text = ''
  genesis!: EntryOf<'genesis'>
  genesisHash: Uint8Array | null = null
  readonly settings = { rate: new Settings(), price: new Settings(), fee: new Settings(), supply: new Settings() }
  /** The earliest time at which each fee was in force. */
  readonly firstFee = new Map<bigint, Date>()
  largestSupply = 0
  readonly addresses = {
    deposit: new Map<string, At<'address'>>(),
    wallet: new Map<string, At<'address'>>(),
    anchor: new Map<string, { chain: number; address: string; index: number }>(),
  }
  readonly logKeys: LogKey[] = []
  readonly receiptKeys: { key: Uint8Array; until: Date | null }[] = []
  /** Hashes of accounts whose key was replaced, in base64. */
  readonly replacedAccounts = new Set<string>()
  readonly releases: EntryOf<'release'>[] = []
  readonly caughtUp = new Set<string>()
  held: At<'note'> | null = null
  /** By id. */
  readonly groups = new Map<number, Group>()
  numbersInGroups = 0
  readonly deposits = new Map<string, KnownDeposit>()
  readonly received = { counted: 0n, review: 0n, refunded: 0n, ignored: 0n, orphaned: 0n, vanished: 0n }
  returned = 0n
  /** How many current deposits name a refund. */
  readonly refunds = new Map<string, number>()
  readonly dirtyGroups = new Set<Group>()
  readonly dirtyDeposits = new Set<KnownDeposit>()
  /** A new price may change what is true of older payments. */
  isRepriced = false
  readonly payouts = new Map<string, At<'payout'>>()
  readonly payoutOf = new Map<string, At<'payout'>>()
  completed = { net: 0n, fees: 0n }
  open = 0n
  readonly days: ClosedDay[] = []
  readonly books: At<'books'>[] = []
  leaves: Leaves = NO_LEAVES
  /** The corrections of the snapshot, directly before the last of its days. */
  corrections: At<'correction'>[] = []
  /** Day → numbers that would have earned, were frozen, and are not yet credited. */
  readonly frozen = new Map<string, { rate: bigint; numbers: Set<number> }>()
  /** Day and number → group of frozen numbers that would have earned, and were not yet credited. */
  readonly missed = new Map<string, Group>()
  dueCredits: string[] = []
  readonly rateChanges: RateChange[] = []

  constructor({ report, readDay, watchers = [] }: LogOptions) {
    this.report = report
    this.readDay = readDay
    this.watchers = watchers
  }

  check(tick: TickName, condition: unknown, why: string | (() => string)): boolean {
    return this.report.check(tick, condition, () => `entry ${this.index}: ${typeof why === 'string' ? why : why()}`, this.text)
  }

  get lastBooks(): At<'books'> | undefined {
    return this.books.at(-1)
  }

  get lastDay(): ClosedDay | undefined {
    return this.days.at(-1)
  }
}
