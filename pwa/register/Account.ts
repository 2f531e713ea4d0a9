import { HOUR } from '#shared/dates.ts'
import { equalBytes, toBase64 } from '#shared/register/bytes.ts'
import type { Entry } from '#shared/register/entryForms.ts'
import { emailHash, entryCommitment, nodeCommitment } from '#shared/register/secrets.ts'
import { numbers, type Range } from '#shared/register/values.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { AccountDeposits } from './AccountDeposits.ts'
import { type AccountFacts, opensEntry } from './AccountFacts.ts'
import { AccountPayouts } from './AccountPayouts.ts'
import type { Chains } from './Chains.ts'
import type { Leaves } from './Leaves.ts'
import type { LogState } from './LogState.ts'
import { type At, each, type Watcher } from './logTypes.ts'
import { ReceiptPromise } from './ReceiptPromise.ts'
import type { Report } from './Report.ts'

type GroupEntry = At<'deposit'> | At<'grant'>

/** Days of which the account's nodes are checked; of earlier ones, their sum. */
export const OWN_DAYS = 31

const notShown = (day: string): string => `the site does not show what opens the leaves of ${day}`

/** Follows the log for one account, and then sets its six ticks (format.md §12). */
export class Account implements Watcher {
  /** Number → earned, of the last day. */
  earned = new Map<number, bigint>()
  readonly #report: Report
  readonly #facts: AccountFacts
  readonly #emailHash: Uint8Array
  readonly #promises: ReceiptPromise[]
  readonly #groups = new Map<number, GroupEntry>()
  readonly #deposits: AccountDeposits
  readonly #payouts: AccountPayouts
  #days = 0
  /** Of which the site does not show the secret. */
  readonly #hiddenDays = new Set<string>()
  #isRewardDue = false

  /** @throws {FormatError} if a receipt or a message is none. */
  constructor(report: Report, facts: AccountFacts) {
    this.#report = report
    this.#facts = facts
    this.#emailHash = emailHash(facts.email.trim().normalize('NFC').toLowerCase())
    this.#promises = facts.receipts.map((note) => new ReceiptPromise(note))
    const options = { facts, emailHash: this.#emailHash, promises: this.#promises }
    this.#payouts = new AccountPayouts(report, options)
    this.#deposits = new AccountDeposits(report, options)
  }

  entry(entry: Entry & { index: number }, text: string): void {
    for (const promise of this.#promises) promise.entry(entry)
    if ((entry.kind === 'deposit' || entry.kind === 'grant') && entry.owner) {
      const isOwn = opensEntry(this.#facts.opener, { owner: entry.owner, index: entry.index, text }, (secret, body) =>
        entryCommitment({ secret, body, emailHash: this.#emailHash }),
      )
      if (!isOwn) return
      if (entry.group !== null) this.#groups.set(entry.group, entry)
      if (entry.kind === 'deposit') this.#deposits.add(entry)
    } else if (entry.kind === 'payout' && entry.owner) this.#payouts.entry(entry, text)
  }

  /** The numbers that are the account's at an instant of register time → the first instant from which they earn. */
  #expected(instant: Date): Map<number, Date> {
    const known = new Map<number, Date>()
    for (const { active, allocated, numbers: ranges } of this.#groups.values())
      if (allocated! <= instant) for (const number of each(ranges!)) known.set(number, active!)
    for (const { receipt } of this.#promises)
      if (receipt.kind === 'nodes' && receipt.time <= instant)
        for (const number of each(receipt.numbers)) known.set(number, receipt.active)
    return known
  }

  day(entry: At<'day'>, leaves: Leaves): void {
    for (const promise of this.#promises) promise.day(entry, leaves)
    const secrets = this.#facts.opener.day(entry.day)
    if (secrets.length === 0) return void this.#hiddenDays.add(entry.day)
    this.#days++
    const nine = rewardInstant(entry.day)
    const expected = this.#expected(nine)
    const before = this.earned
    this.earned = this.#openLeaves(entry.day, leaves, secrets)
    for (const number of this.earned.keys())
      this.#check(
        'nodes',
        expected.has(number),
        { day: entry.day, number, leaves },
        'opens to this account, but nothing else says so',
      )
    for (const [number, active] of expected) {
      const at = { day: entry.day, number, leaves }
      const earned = this.earned.get(number)
      if (!this.#check('nodes', earned !== undefined, at, 'the leaf does not open to this account')) continue
      const state = leaves.state(number)
      const due = active <= nine ? 'active' : 'waiting'
      this.#check('nodes', state === 'frozen' || state === due, at, `shown as ${state}, not ${due}`)
      if (due === 'waiting' || state === 'frozen') continue
      const more = earned! - (before.get(number) ?? 0n)
      this.#isRewardDue = true
      this.#check('rewards', more >= entry.rate, at, `earned ${more}, not ${entry.rate}`)
    }
  }

  /** A site that could leave out a day would leave out the one on which it lies. */
  #checkHiddenDays({ days }: LogState): void {
    const [hidden] = days.slice(-OWN_DAYS).filter(({ day }) => this.#hiddenDays.has(day))
    if (!hidden) return
    for (const tick of ['nodes', 'rewards'] as const) this.#report.set(tick, 'unknown', notShown(hidden.day))
  }

  #check(
    tick: 'nodes' | 'rewards',
    condition: boolean,
    { day, number, leaves }: { day: string; number: number; leaves: Leaves },
    why: string,
  ): boolean {
    return this.#report.check(tick, condition, `day ${day}, number ${number}: ${why}`, leaves.hex(number))
  }

  #openLeaves(day: string, leaves: Leaves, secrets: readonly Uint8Array[]): Map<number, bigint> {
    const opened = new Map<number, bigint>()
    for (let number = 1; number <= leaves.size; number++) {
      const { state, commitment, earned } = leaves.of(number)
      if (state === 'free') continue
      const isOwn = secrets.some((secret) =>
        equalBytes(nodeCommitment({ secret, day, number, emailHash: this.#emailHash }), commitment),
      )
      if (isOwn) opened.set(number, earned)
    }
    return opened
  }

  books(entry: At<'books'>): void {
    for (const promise of this.#promises) promise.books(entry)
    this.#payouts.books()
  }

  /** The six ticks, after the whole log. */
  async finish(log: LogState, { chains, now }: { chains: Chains; now: Date }): Promise<void> {
    const report = this.#report
    const mine = log.lastDay ? this.#expected(rewardInstant(log.lastDay.day)) : new Map<number, Date>()
    for (const number of each(this.#facts.numbers ?? [])) {
      const isMine = mine.has(number) && this.earned.has(number)
      report.check('nodes', isMine, `number ${number}: shown to the account, but not its number in the register`)
    }
    if (mine.size === 0)
      for (const tick of ['nodes', 'rewards'] as const) report.set(tick, 'nothing', 'the account has no node in the register yet')
    else this.#checkHiddenDays(log)
    if (!this.#isRewardDue) report.set('rewards', 'nothing', 'no node of the account was active on a checked day')
    report.ok('nodes', `${mine.size} nodes are in the register of ${log.lastDay?.day} and open to this e-mail`)
    report.ok('rewards', `each node earned every day's rate while it was active (${this.#days} days)`)
    await this.#checkReceipts(log, now)
    await report.part('payouts', () => this.#payouts.check(log, chains))
    this.#checkBalance(log)
    await report.part('deposits', () => this.#deposits.check(log, { chains, mine }))
  }

  async #checkReceipts(log: LogState, now: Date): Promise<void> {
    const report = this.#report
    const accounts = this.#facts.opener.accounts?.(this.#emailHash)
    for (const promise of this.#promises) await promise.check(log, accounts)
    // Without the keys: receipts of one account name one hash, and others only until their key was replaced.
    const named = new Set(this.#promises.map(({ receipt }) => toBase64(receipt.account)))
    const present = [...named].filter((account) => !log.replacedAccounts.has(account))
    report.check('receipts', present.length <= 1, `receipts of ${present.length} accounts: ${present.join(', ')}`)
    const registerNow = log.genesis.clock === 'real' ? now : rewardInstant(log.lastDay?.day ?? '1970-01-01')
    const held = new Set(
      this.#promises.map(({ receipt }) => (receipt.kind === 'nodes' ? describeGroup(receipt.numbers, receipt.active) : '')),
    )
    for (const { group, numbers: ranges, allocated, active } of this.#groups.values()) {
      const isDue = allocated! > log.genesis.time && allocated!.getTime() + HOUR < registerNow.getTime()
      const isHeld = held.has(describeGroup(ranges!, active!))
      report.check('receipts', !isDue || isHeld, `no receipt for group ${group}, numbers ${numbers.write(ranges!)}`)
    }
    if (this.#promises.length === 0) report.set('receipts', 'nothing', 'there are no receipts yet')
    report.ok('receipts', `${this.#promises.length} receipts are signed and kept`)
  }

  #checkBalance({ lastBooks }: LogState): void {
    const report = this.#report
    const shown = this.#facts.books
    if (!shown || !lastBooks) return report.set('balance', 'nothing', 'there are no books yet')
    const earned = [...this.earned.values()].reduce((sum, one) => sum + one, 0n)
    const withdrawn = this.#payouts.withdrawnAtBooks()
    if (this.#hiddenDays.has(lastBooks.day)) return report.set('balance', 'unknown', notShown(lastBooks.day))
    const [is, due] = [shown.balance - shown.debt, earned - withdrawn]
    report.check('balance', is === due, `earned ${earned}, withdrawn ${withdrawn}: the balance is ${due}, not ${is}`)
    report.ok('balance', `the balance is what the nodes earned (${earned}) less the withdrawals (${withdrawn})`)
  }
}

const describeGroup = (ranges: readonly Range[], active: Date): string => `${numbers.write(ranges)} ${active.toISOString()}`
