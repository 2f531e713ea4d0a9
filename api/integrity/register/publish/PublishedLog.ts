import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

type Settings = { rate: bigint; price: bigint; fee: bigint; supply: bigint }
export type SettingName = keyof Settings

export interface PublishedDeposit {
  decision: string
  reason: string
  amount: bigint
  /** In milliseconds; NaN if it is in no block. */
  mined: number
  firstMined: number
  returned: bigint
  refund: string
  group: number
}

interface Orphan {
  identity: string
  from: number
  /** Infinity while the deposit is orphaned. */
  until: number
}

export interface PublishedGroup {
  id: number
  ranges: [first: number, last: number][]
  count: number
  allocated: number
  active: number
  causes: Set<string>
  price: bigint | undefined
  priced: number
  /** Counted and orphaned deposits. */
  deposits: Map<string, PublishedDeposit>
  orphans: Orphan[]
}

interface PublishedPayout {
  state: string
  net: bigint
  fee: bigint
}

const completed = new Set(['paid', 'elsewhere', 'booked'])

/** Entries per query, so that few texts are in memory. */
const BATCH_SIZE = 2_000

/**
 * What the log says, read from the bytes of its entries and of those that are about to be appended: the equations are computed from what
 * readers see, not from the rows behind it. Texts are of our own writing, so their lines are not checked again.
 */
export class PublishedLog {
  readonly deposits = new Map<string, PublishedDeposit>()
  readonly groups = new Map<number, PublishedGroup>()
  readonly payouts = new Map<string, PublishedPayout>()
  readonly refunds = new Map<string, number>()
  readonly addresses = { deposit: new Set<string>(), wallet: new Set<string>(), anchor: new Set<string>() }
  readonly sums = { counted: 0n, review: 0n, refunded: 0n, ignored: 0n, orphaned: 0n, vanished: 0n }
  returned = 0n
  net = 0n
  fees = 0n
  open = 0n
  readonly #settings: { [Name in SettingName]: { from: number; value: bigint }[] } = { rate: [], price: [], fee: [], supply: [] }

  static async read(em: EntityManager): Promise<PublishedLog> {
    const log = new PublishedLog()
    for (let last = -1; ; ) {
      const rows = await sql<{ index: number; text: string; identity: string | null }>(
        em,
        `select index, text, identity from register_entries where index > $1 order by index limit ${BATCH_SIZE}`,
        [last],
      )
      for (const { text, identity } of rows) log.add(text, identity)
      if (rows.length < BATCH_SIZE) return log
      last = rows.at(-1)!.index
    }
  }

  add(text: string, identity: string | null): void {
    const [head, ...lines] = text.split('\n')
    const values = lines.map((line) => line.slice(line.indexOf(' ') + 1))
    const kind = head!.slice(0, -3)
    if (kind === 'deposit') this.#addDeposit(identity!, values)
    else if (kind === 'grant') this.#joinGroup(values[1]!, values.slice(2, 6)).causes.add(values[1]!)
    else if (kind === 'payout') this.#addPayout(identity!, values)
    else if (kind === 'rate' || kind === 'price' || kind === 'fee' || kind === 'supply')
      this.#settings[kind].push({ from: Date.parse(values[1]!), value: BigInt(values[2]!) })
    else if (kind === 'address') this.addresses[values[1] as keyof PublishedLog['addresses']].add(values[3]!)
  }

  /** The value in force: that with the latest beginning; of several with the same, the last. */
  settingAt(name: SettingName, time: number): bigint | undefined {
    let found: { from: number; value: bigint } | undefined
    for (const one of this.#settings[name]) if (one.from <= time && (!found || one.from >= found.from)) found = one
    return found?.value
  }

  #addDeposit(identity: string, values: readonly string[]): void {
    const [time, , , mined, amount, decision, reason, group, , price, priced, , , refund, returned] = values
    const before = this.deposits.get(identity)
    const at = Date.parse(time!)
    if (before) this.#remove(identity, before, at)
    const deposit: PublishedDeposit = {
      decision: decision!,
      reason: reason!,
      amount: BigInt(amount!),
      mined: Date.parse(mined!),
      firstMined: Number.isNaN(before?.firstMined ?? Number.NaN) ? Date.parse(mined!) : before!.firstMined,
      returned: returned === '-' ? 0n : BigInt(returned!),
      refund: refund!,
      group: group === '-' ? 0 : Number(group),
    }
    this.deposits.set(identity, deposit)
    this.sums[decision as keyof PublishedLog['sums']] += deposit.amount
    if (decision === 'refunded') this.returned += deposit.returned
    if (refund !== '-') this.refunds.set(refund!, (this.refunds.get(refund!) ?? 0) + 1)
    if (deposit.group === 0) return
    const joined = this.#joinGroup('deposit', [group!, values[8]!, values[11]!, values[12]!])
    joined.causes.add('deposit')
    joined.deposits.set(identity, deposit)
    if (joined.price === undefined) Object.assign(joined, { price: BigInt(price!), priced: Date.parse(priced!) })
    if (decision === 'orphaned') joined.orphans.push({ identity, from: at, until: Number.POSITIVE_INFINITY })
  }

  #remove(identity: string, before: PublishedDeposit, at: number): void {
    this.sums[before.decision as keyof PublishedLog['sums']] -= before.amount
    if (before.decision === 'refunded') this.returned -= before.returned
    if (before.refund !== '-') this.refunds.set(before.refund, this.refunds.get(before.refund)! - 1)
    const group = this.groups.get(before.group)
    group?.deposits.delete(identity)
    const orphan = group?.orphans.findLast((one) => one.identity === identity)
    if (orphan && before.decision === 'orphaned') orphan.until = at
  }

  #joinGroup(_cause: string, [id, numbers, allocated, active]: readonly string[]): PublishedGroup {
    const known = this.groups.get(Number(id))
    if (known) return known
    const ranges = numbers!.split(',').map((range): [number, number] => {
      const [first, last = first] = range.split('-')
      return [Number(first), Number(last)]
    })
    const group: PublishedGroup = {
      id: Number(id),
      ranges,
      count: ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0),
      allocated: Date.parse(allocated!),
      active: Date.parse(active!),
      causes: new Set(),
      price: undefined,
      priced: 0,
      deposits: new Map(),
      orphans: [],
    }
    this.groups.set(group.id, group)
    return group
  }

  #addPayout(identity: string, [, state, , , net, fee]: readonly string[]): void {
    const before = this.payouts.get(identity)
    if (before) this.#count(before, -1n)
    const payout = { state: state!, net: BigInt(net!), fee: BigInt(fee!) }
    this.payouts.set(identity, payout)
    this.#count(payout, 1n)
  }

  #count({ state, net, fee }: PublishedPayout, sign: bigint): void {
    if (state === 'accepted') this.open += sign * (net + fee)
    if (!completed.has(state)) return
    this.net += sign * net
    this.fees += sign * fee
  }
}
