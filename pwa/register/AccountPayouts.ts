import { MINUTE } from '#shared/dates.ts'
import { demand } from '#shared/register/FormatError.ts'
import { messageHash, payoutCommitment, requestOf } from '#shared/register/secrets.ts'
import type { Hex } from '#shared/register/values.ts'
import { parseWithdrawalMessage } from '#shared/withdrawalMessage.ts'
import { type AccountFacts, opensEntry } from './AccountFacts.ts'
import type { Chains } from './Chains.ts'
import type { LogState } from './LogState.ts'
import { type At, transferId } from './logTypes.ts'
import type { ReceiptPromise } from './ReceiptPromise.ts'
import type { Report } from './Report.ts'

/** A signed withdrawal is accepted until this time after its signature. */
const MESSAGE_AGE = 10 * MINUTE

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

interface Options {
  facts: AccountFacts
  emailHash: Uint8Array
  promises: readonly ReceiptPromise[]
}

/** The withdrawals of one account: what its wallet signed, and what the log has of it. Sets the tick `payouts`. */
export class AccountPayouts {
  readonly #report: Report
  readonly #facts: AccountFacts
  readonly #emailHash: Uint8Array
  readonly #signed: ReadonlyMap<string, Signed>
  readonly #payouts = new Map<string, OwnPayout>()
  #payoutsAtBooks: OwnPayout[] = []

  /** @throws {FormatError} if a message is none. */
  constructor(report: Report, { facts, emailHash, promises }: Options) {
    this.#report = report
    this.#facts = facts
    this.#emailHash = emailHash
    this.#signed = readSigned(facts, promises)
  }

  entry(entry: At<'payout'>, text: string): void {
    const opens = (recipient: Hex, message: Uint8Array | null) =>
      opensEntry(this.#facts.opener, { owner: entry.owner!, index: entry.index, text }, (secret, body) =>
        payoutCommitment({ secret, body, emailHash: this.#emailHash, recipient, messageHash: message }),
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

  books(): void {
    this.#payoutsAtBooks = [...this.#payouts.values()]
  }

  /** What the withdrawals that were not refunded took from the balance, as of the last books. */
  withdrawnAtBooks(): bigint {
    return this.#payoutsAtBooks
      .filter(({ entry }) => entry.state !== 'refunded')
      .reduce((sum, { entry }) => sum + entry.net + entry.fee, 0n)
  }

  async check(log: LogState, chains: Chains): Promise<void> {
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
}

/** The withdrawals that the person signed, by request: from receipts, and from messages. */
function readSigned({ messages = [] }: AccountFacts, promises: readonly ReceiptPromise[]): Map<string, Signed> {
  const signed = new Map<string, Signed>()
  for (const { receipt } of promises)
    if (receipt.kind === 'withdrawal') signed.set(requestOf(receipt.message).join(), { ...receipt, isPromised: true })
  for (const text of messages) {
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
