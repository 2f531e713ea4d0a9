import { HOUR, MINUTE } from '#shared/dates.ts'
import { equalBytes, toBase64 } from '#shared/register/bytes.ts'
import { bodyOf } from '#shared/register/entries.ts'
import type { Entry } from '#shared/register/entryForms.ts'
import { demand } from '#shared/register/FormatError.ts'
import {
  accountHash,
  daySecret,
  emailHash,
  entryCommitment,
  entrySecret,
  messageHash,
  nodeCommitment,
  payoutCommitment,
  requestOf,
} from '#shared/register/secrets.ts'
import { type Hex, numbers, type Range } from '#shared/register/values.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { parseWithdrawalMessage } from '#shared/withdrawalMessage.ts'
import type { Chains } from './Chains.ts'
import type { Leaves } from './Leaves.ts'
import type { LogState } from './LogState.ts'
import { type At, each, type KnownDeposit, transferId, type Watcher } from './logTypes.ts'
import { ReceiptPromise } from './ReceiptPromise.ts'
import type { Report } from './Report.ts'

/** A signed withdrawal is accepted until this time after its signature. */
const MESSAGE_AGE = 10 * MINUTE

/** What opens the commitments of an account. */
export interface Opener {
  day(day: string): Uint8Array[]
  entry(index: number, body: Uint8Array): Uint8Array[]
  /** The hashes of the account in receipts, where the keys are known. */
  accounts?: ((emailHash: Uint8Array) => Uint8Array[]) | undefined
}

/** Opens with the account's keys, the present one and older ones. */
export const openerOfKeys = (keys: readonly Uint8Array[]): Opener => ({
  day: (day) => keys.map((key) => daySecret(key, day)),
  entry: (_, body) => keys.map((key) => entrySecret(key, body)),
  accounts: (email) => keys.map((proofKey) => accountHash({ proofKey, emailHash: email })),
})

/** What one person knows and is shown. */
export interface AccountFacts {
  opener: Opener
  email: string
  /** Signed notes. */
  receipts: readonly string[]
  /** Texts that a wallet signed for withdrawals. */
  messages?: readonly string[]
  /** Addresses that pay or are paid. */
  wallets?: readonly Hex[]
  /** Payments, as transaction and ordinal. */
  transfers?: readonly string[]
  /** The numbers that the page shows. */
  numbers?: readonly Range[]
  /** As shown, as of the last books. */
  books?: { balance: bigint; debt: bigint } | null
}

/** What a person's wallet signed. */
interface Signed {
  message: Uint8Array
  net: bigint
  fee: bigint
  recipient: Hex
  time: Date
  /** Whether a receipt promises it. */
  isPromised: boolean
}

interface OwnPayout {
  entry: At<'payout'>
  isOwn: boolean
  recipient: Hex
}

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
  readonly #signed: ReadonlyMap<string, Signed>
  readonly #groups = new Map<number, GroupEntry>()
  readonly #deposits = new Map<string, number>()
  readonly #payouts = new Map<string, OwnPayout>()
  #payoutsAtBooks: OwnPayout[] = []
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
    this.#signed = this.#readSigned()
  }

  /** The withdrawals that the person signed, by request: from receipts, and from messages. */
  #readSigned(): Map<string, Signed> {
    const signed = new Map<string, Signed>()
    for (const { receipt } of this.#promises)
      if (receipt.kind === 'withdrawal') signed.set(requestOf(receipt.message).join(), { ...receipt, isPromised: true })
    for (const text of this.#facts.messages ?? []) {
      const terms = parseWithdrawalMessage(text)
      demand(terms, 'this is no withdrawal message')
      const message = messageHash(text)
      const request = requestOf(message).join()
      const { amount, fee, address, timestamp } = terms
      const isPromised = signed.get(request)?.isPromised ?? false
      signed.set(request, { message, net: amount - fee, fee, recipient: address, time: new Date(timestamp), isPromised })
    }
    return signed
  }

  #opens(owner: Uint8Array, commit: (secret: Uint8Array, body: Uint8Array) => Uint8Array, index: number, text: string): boolean {
    const body = bodyOf(text)
    return this.#facts.opener.entry(index, body).some((secret) => equalBytes(commit(secret, body), owner))
  }

  entry(entry: Entry & { index: number }, text: string): void {
    for (const promise of this.#promises) promise.entry(entry)
    const email = this.#emailHash
    if ((entry.kind === 'deposit' || entry.kind === 'grant') && entry.owner) {
      const commit = (secret: Uint8Array, body: Uint8Array) => entryCommitment({ secret, body, emailHash: email })
      if (!this.#opens(entry.owner, commit, entry.index, text)) return
      if (entry.group !== null) this.#groups.set(entry.group, entry)
      if (entry.kind === 'deposit') this.#deposits.set(transferId(entry.transfer), entry.index)
    } else if (entry.kind === 'payout' && entry.owner) this.#readPayout(entry, text)
  }

  #readPayout(entry: At<'payout'>, text: string): void {
    const opens = (recipient: Hex, message: Uint8Array | null) =>
      this.#opens(
        entry.owner!,
        (secret, body) => payoutCommitment({ secret, body, emailHash: this.#emailHash, recipient, messageHash: message }),
        entry.index,
        text,
      )
    const signed = entry.request ? this.#signed.get(entry.request.join()) : undefined
    if (signed) {
      const isOwn = opens(signed.recipient, signed.message)
      this.#payouts.set(entry.request!.join(), { entry, isOwn, recipient: signed.recipient })
    } else if (entry.state === 'booked') {
      const recipient = this.#facts.wallets?.find((wallet) => opens(wallet, null))
      if (recipient) this.#payouts.set(transferId(entry.transfer!), { entry, isOwn: true, recipient })
    }
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
    this.#payoutsAtBooks = [...this.#payouts.values()]
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
    await report.part('payouts', () => this.#checkPayouts(log, chains))
    this.#checkBalance(log)
    await report.part('deposits', () => this.#checkDeposits(log, chains, mine))
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

  async #checkPayouts(log: LogState, chains: Chains): Promise<void> {
    const report = this.#report
    for (const [request, { net, fee, recipient, time, isPromised }] of this.#signed) {
      const own = this.#payouts.get(request)
      const name = `withdrawal of ${net} to ${recipient}`
      if (!own) {
        const isDue = !isPromised && time.getTime() + MESSAGE_AGE < (log.lastBooks?.time.getTime() ?? 0)
        report.set('payouts', isDue ? 'failed' : 'nothing', `${name}: ${isDue ? 'no entry' : 'not in the register yet'}`)
        continue
      }
      const { entry, isOwn } = own
      report.check('payouts', entry.net === net && entry.fee === fee, `${name}: entry ${entry.index} has other amounts`)
      report.check('payouts', isOwn, `${name}: entry ${entry.index} does not open with this recipient and message`)
    }
    const { chainId, address } = log.genesis.reward
    for (const { entry, recipient } of this.#payouts.values()) {
      if (!entry.transfer) continue
      for (const rpc of chains.of(chainId)) {
        const one = (await rpc.transfersIn(address, entry.transfer.transaction))?.[entry.transfer.ordinal]
        const isPaid = one?.to === recipient && one.amount === entry.net
        report.check('payouts', isPaid, `entry ${entry.index}: its transfer does not pay ${entry.net} to ${recipient}`)
      }
    }
    if (this.#payouts.size === 0) report.set('payouts', 'nothing', 'no withdrawal was signed')
    report.ok('payouts', `${this.#payouts.size} withdrawals are those that were signed`)
  }

  #checkBalance({ lastBooks }: LogState): void {
    const report = this.#report
    const shown = this.#facts.books
    if (!shown || !lastBooks) return report.set('balance', 'nothing', 'there are no books yet')
    const earned = [...this.earned.values()].reduce((sum, one) => sum + one, 0n)
    const withdrawn = this.#payoutsAtBooks
      .filter(({ entry }) => entry.state !== 'refunded')
      .reduce((sum, { entry }) => sum + entry.net + entry.fee, 0n)
    if (this.#hiddenDays.has(lastBooks.day)) return report.set('balance', 'unknown', notShown(lastBooks.day))
    const [is, due] = [shown.balance - shown.debt, earned - withdrawn]
    report.check('balance', is === due, `earned ${earned}, withdrawn ${withdrawn}: the balance is ${due}, not ${is}`)
    report.ok('balance', `the balance is what the nodes earned (${earned}) less the withdrawals (${withdrawn})`)
  }

  /** From the person's receipts, list and wallets; never from the register's list. */
  async #checkDeposits(log: LogState, chains: Chains, mine: ReadonlyMap<number, Date>): Promise<void> {
    const report = this.#report
    /** Whether the log must have the payment by now. */
    const paid = new Map((this.#facts.transfers ?? []).map((transfer) => [transfer, false]))
    for (const { receipt, outcome } of this.#promises)
      for (const transfer of (receipt.kind === 'nodes' && receipt.transfers) || [])
        paid.set(transferId(transfer), outcome !== 'nothing' || paid.get(transferId(transfer)) === true)
    for (const [transfer, isDue] of paid) {
      const deposit = log.deposits.get(transfer)
      if (deposit) this.#checkDeposit(log, deposit, mine)
      else if (isDue || (await this.#isInBooks(log, chains, transfer))) report.fail('deposits', `${transfer}: no entry`)
      else report.set('deposits', 'nothing', `${transfer}: not in the register yet`)
    }
    for (const deposit of await this.#findByWallets(log, chains)) {
      const id = transferId(deposit.transfer)
      if (paid.has(id)) continue
      paid.set(id, true)
      this.#checkDeposit(log, deposit, mine)
    }
    if (paid.size === 0) report.set('deposits', 'nothing', 'no payment is known')
    report.ok('deposits', `${paid.size} payments are counted, with their nodes, or refunded`)
  }

  async #isInBooks({ genesis, lastBooks }: LogState, chains: Chains, transfer: string): Promise<boolean> {
    const { chainId, address } = genesis.payment
    const transfers = await chains.of(chainId)[0]!.transfersIn(address, transfer.slice(0, 66))
    return (transfers?.[0]?.block ?? Infinity) <= (lastBooks?.paymentBlock?.number ?? -1)
  }

  /** The payments of the person's wallets that the chain shows. */
  async #findByWallets(log: LogState, chains: Chains): Promise<KnownDeposit[]> {
    const senders = this.#facts.wallets ?? []
    const recipients = [...log.addresses.deposit.keys()]
    const last = log.lastBooks?.paymentBlock?.number
    if (senders.length === 0 || recipients.length === 0 || last === undefined) return []
    const from = Math.min(...[...log.addresses.deposit.values()].map(({ block }) => block))
    const { chainId, address } = log.genesis.payment
    const transfers = await chains.of(chainId)[0]!.transfers(address, { from, to: last, senders, recipients })
    return transfers.flatMap(({ transaction, block, logIndex, amount }) => {
      if (amount === 0n) return []
      const found = [...log.deposits.values()].find(
        (deposit) =>
          deposit.transfer.transaction === transaction && deposit.block?.number === block && deposit.block.logIndex === logIndex,
      )
      this.#report.check('deposits', found, `${transaction}: a payment of ${amount} has no entry`)
      return found ?? []
    })
  }

  #checkDeposit(log: LogState, deposit: KnownDeposit, mine: ReadonlyMap<number, Date>): void {
    const { decision, transfer, index, amount, returned, mined } = deposit
    const check = (condition: unknown, why: string) =>
      this.#report.check('deposits', condition, `${transferId(transfer)}, entry ${index}: ${why}`)
    if (decision === 'counted') {
      check(this.#deposits.get(transferId(transfer)) === index, 'counted for another account')
      const isEarly = !log.lastDay || deposit.allocated! > rewardInstant(log.lastDay.day)
      check(isEarly || [...each(deposit.numbers!)].every((number) => mine.has(number)), "its nodes are not the account's")
    } else if (decision === 'refunded') check(2n * returned! >= amount, 'less than half was returned')
    else if (decision === 'ignored') {
      const price = log.settings.price.at(mined!)
      check(price && amount < price.value, 'ignored, although it is not below the price')
    } else if (decision !== 'vanished')
      this.#report.set('deposits', 'nothing', `${transferId(transfer)}, entry ${index}: ${decision}`)
  }
}

const describeGroup = (ranges: readonly Range[], active: Date): string => `${numbers.write(ranges)} ${active.toISOString()}`
