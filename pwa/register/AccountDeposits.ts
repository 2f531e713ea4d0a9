import { rewardInstant } from '#shared/rewardTime.ts'
import type { AccountFacts } from './AccountFacts.ts'
import type { Chains } from './Chains.ts'
import type { LogState } from './LogState.ts'
import { type At, each, type KnownDeposit, transferId } from './logTypes.ts'
import type { ReceiptPromise } from './ReceiptPromise.ts'
import type { Report } from './Report.ts'

interface Options {
  facts: AccountFacts
  promises: readonly ReceiptPromise[]
}

/** The payments of one account: what it knows of them, and what the log has. Sets the tick `deposits`. */
export class AccountDeposits {
  readonly #report: Report
  readonly #facts: AccountFacts
  readonly #promises: readonly ReceiptPromise[]
  /** Transfer → index of the entry that opens to the account. */
  readonly #entries = new Map<string, number>()

  constructor(report: Report, { facts, promises }: Options) {
    this.#report = report
    this.#facts = facts
    this.#promises = promises
  }

  /** Adds a deposit that opens to the account. */
  add({ transfer, index }: At<'deposit'>): void {
    this.#entries.set(transferId(transfer), index)
  }

  /** From the person's receipts, list and wallets; never from the register's list. */
  async check(log: LogState, { chains, mine }: { chains: Chains; mine: ReadonlyMap<number, Date> }): Promise<void> {
    const report = this.#report
    /** Whether the log must have the payment by now. */
    const paid = new Map((this.#facts.transfers ?? []).map((transfer) => [transfer, false]))
    for (const { receipt, outcome } of this.#promises)
      for (const transfer of (receipt.kind === 'nodes' && receipt.transfers) || [])
        paid.set(transferId(transfer), outcome !== 'nothing' || paid.get(transferId(transfer)) === true)
    for (const [transfer, isDue] of paid) {
      const deposit = log.deposits.get(transfer)
      if (deposit) this.#checkOne(log, deposit, mine)
      else if (isDue || (await this.#isInBooks(log, chains, transfer))) report.fail('deposits', `${transfer}: no entry`)
      else report.set('deposits', 'nothing', `${transfer}: not in the register yet`)
    }
    for (const deposit of await this.#findByWallets(log, chains)) {
      const id = transferId(deposit.transfer)
      if (paid.has(id)) continue
      paid.set(id, true)
      this.#checkOne(log, deposit, mine)
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

  #checkOne(log: LogState, deposit: KnownDeposit, mine: ReadonlyMap<number, Date>): void {
    const { decision, transfer, index, amount, returned, mined } = deposit
    const check = (condition: unknown, why: string) =>
      this.#report.check('deposits', condition, `${transferId(transfer)}, entry ${index}: ${why}`)
    if (decision === 'counted') {
      check(this.#entries.get(transferId(transfer)) === index, 'counted for another account')
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
