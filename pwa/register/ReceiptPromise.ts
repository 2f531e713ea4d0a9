import { HOUR } from '#shared/dates.ts'
import { equalBytes } from '#shared/register/bytes.ts'
import type { Entry } from '#shared/register/entryForms.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { MAX_TEXT } from '#shared/register/lines.ts'
import { parseReceipt, type Receipt, receiptKeyName } from '#shared/register/receipts.ts'
import { requestOf } from '#shared/register/secrets.ts'
import { readNote } from '#shared/register/signedNotes.ts'
import { numbers } from '#shared/register/values.ts'
import type { Leaves } from './Leaves.ts'
import type { LogState } from './LogState.ts'
import { type At, each, transferId, type Watcher } from './logTypes.ts'
import { openNote } from './signatures.ts'

/** The promise of one receipt, kept or not by the first books at or after its day (format.md §8). */
export class ReceiptPromise implements Watcher {
  readonly note: string
  readonly receipt: Receipt
  outcome: 'ok' | 'nothing' | 'failed' = 'nothing'
  readonly #transfers = new Set<string>()
  readonly #causes = new Set<string>()
  /** Whether each number had an owner on the promised day, or on the last one before it. */
  #hasLeaves = false

  /** @throws {FormatError} */
  constructor(note: string) {
    this.note = note
    this.receipt = parseReceipt(readNote(note, { keys: [], maxBytes: MAX_TEXT }).text)
  }

  entry(entry: Entry): void {
    const { receipt } = this
    if (this.outcome !== 'nothing') return
    if (receipt.kind === 'withdrawal') {
      if (entry.kind !== 'payout' || !entry.request || !equalBytes(entry.request, requestOf(receipt.message))) return
      if (entry.net === receipt.net && entry.fee === receipt.fee) this.#causes.add('payout')
    } else if (receipt.kind === 'nodes' && (entry.kind === 'deposit' || entry.kind === 'grant') && entry.group !== null) {
      const isSame = entry.active!.getTime() === receipt.active.getTime()
      if (!isSame || numbers.write(entry.numbers!) !== numbers.write(receipt.numbers)) return
      if (entry.kind === 'grant') this.#causes.add(entry.cause)
      else if (entry.decision === 'counted') {
        this.#causes.add('counted')
        this.#transfers.add(transferId(entry.transfer))
      }
    }
  }

  day({ day }: At<'day'>, leaves: Leaves): void {
    if (this.receipt.kind !== 'nodes' || day > this.receipt.by) return
    this.#hasLeaves = [...each(this.receipt.numbers)].every((number) => leaves.state(number) !== 'free')
  }

  books({ day }: At<'books'>): void {
    const { receipt } = this
    if (this.outcome !== 'nothing' || receipt.kind === 'account' || day < receipt.by) return
    this.outcome = this.#isKept(receipt) ? 'ok' : 'failed'
  }

  #isKept(receipt: Exclude<Receipt, { kind: 'account' }>): boolean {
    const has = (cause: string) => this.#causes.has(cause)
    if (receipt.kind === 'withdrawal') return has('payout')
    if (!this.#hasLeaves) return false
    if (receipt.cause === 'deposit') return receipt.transfers!.every((transfer) => this.#transfers.has(transferId(transfer)))
    return receipt.cause === 'grant' ? has('rule') || has('hand') : has('unpaid') || has('counted')
  }

  /** Tick `receipts` for this receipt. @param accounts the hashes of the person's account, if known. */
  async check(log: LogState, accounts: readonly Uint8Array[] | undefined): Promise<void> {
    const { receipt, note } = this
    const name = `receipt of ${receipt.time.toISOString()} (${receipt.kind})`
    const check = (condition: unknown, why: string) => log.report.check('receipts', condition, `${name}: ${why}`, note)
    check(await this.#isSigned(log), 'not signed by a receipt key of this log that was in force')
    check(log.genesisHash && equalBytes(receipt.genesis, log.genesisHash), 'of another log')
    check(accounts?.some((account) => equalBytes(account, receipt.account)) ?? true, 'of another account')
    check(this.outcome !== 'failed', 'the promise is broken: the log does not contain it by its day')
    // What the log already contains stays in it: the promise is kept before its day.
    if (this.outcome === 'nothing' && receipt.kind !== 'account' && !this.#isKept(receipt))
      log.report.set('receipts', 'nothing', `${name}: its day, ${receipt.by}, is not in the books yet`)
  }

  async #isSigned({ genesis, receiptKeys }: LogState): Promise<boolean> {
    const isReal = genesis.clock === 'real'
    const keys = receiptKeys
      .filter(({ until }) => !isReal || !until || this.receipt.time.getTime() <= until.getTime() + HOUR)
      .map(({ key }) => ({ name: receiptKeyName(genesis.origin), key }))
    try {
      return (await openNote(this.note, { keys, maxBytes: MAX_TEXT })).signedBy.size > 0
    } catch (error) {
      if (error instanceof FormatError) return false
      throw error
    }
  }
}
