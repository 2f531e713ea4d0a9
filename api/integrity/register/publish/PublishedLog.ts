import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

const settingNames = ['rate', 'price', 'fee', 'supply'] as const
export type SettingName = (typeof settingNames)[number]
const decisions = ['counted', 'review', 'refunded', 'ignored', 'orphaned', 'vanished'] as const
type Decision = (typeof decisions)[number]

/** A deposit that paid for nodes. */
export interface PublishedDeposit {
  decision: string
  reason: string
  amount: bigint
  /** When its first entry that names a block says that it was mined, in milliseconds. */
  firstMined: number
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

/**
 * What the entries of the log say: the equations are computed from the bytes that readers see, not from the rows behind them. The entries that
 * are about to be signed are among them. Texts are of our own writing, so their lines are not checked again.
 *
 * Deposits that never paid for nodes are summed by the database: a long log consists mostly of them.
 */
export class PublishedLog {
  readonly groups = new Map<number, PublishedGroup>()
  readonly addresses = { deposit: new Set<string>(), wallet: new Set<string>(), anchor: new Set<string>() }
  readonly sums: Record<Decision, bigint> = { counted: 0n, review: 0n, refunded: 0n, ignored: 0n, orphaned: 0n, vanished: 0n }
  returned = 0n
  net = 0n
  fees = 0n
  open = 0n
  /** Sentences about single deposits that make E2 false. */
  readonly falseDeposits: string[] = []
  /** Sentences about payouts since the last books that make E5 false. */
  readonly falsePayouts: string[] = []
  readonly #settings: { [Name in SettingName]: { from: number; value: bigint }[] } = { rate: [], price: [], fee: [], supply: [] }
  /** The last entries of deposits that paid for nodes. */
  readonly #deposits = new Map<string, PublishedDeposit & { group: number }>()

  static async read(em: EntityManager): Promise<PublishedLog> {
    const log = new PublishedLog()
    await log.#readSettings(em)
    await log.#readGroups(em)
    await log.#sumDeposits(em)
    await log.#sumPayouts(em)
    await log.#findFalsePayouts(em)
    return log
  }

  /** The value in force: that with the latest beginning; of several with the same, the last. */
  settingAt(name: SettingName, time: number): bigint | undefined {
    let found: { from: number; value: bigint } | undefined
    for (const one of this.#settings[name]) if (one.from <= time && (!found || one.from >= found.from)) found = one
    return found?.value
  }

  /** Settings and addresses. */
  async #readSettings(em: EntityManager): Promise<void> {
    const rows = await sql<{ kind: string; text: string }>(
      em,
      `select kind, text from register_entries where kind in ('rate', 'price', 'fee', 'supply', 'address') order by index`,
    )
    for (const { kind, text } of rows) {
      const values = valuesOf(text)
      const name = settingNames.find((known) => known === kind)
      if (name) this.#settings[name].push({ from: Date.parse(values[1]!), value: BigInt(values[2]!) })
      else this.addresses[values[1] as keyof PublishedLog['addresses']].add(values[3]!)
    }
  }

  async #readGroups(em: EntityManager): Promise<void> {
    const rows = await sql<{ kind: string; text: string; identity: string }>(
      em,
      `with paying as materialized (
         select distinct identity from register_entries where kind = 'deposit' and ${line('group')} <> '-'
       )
       select kind, text, identity from register_entries
       where kind = 'grant' or (kind = 'deposit' and identity in (select identity from paying)) order by index`,
    )
    for (const { kind, text, identity } of rows) {
      const values = valuesOf(text)
      if (kind === 'deposit') this.#addDeposit(identity, values)
      else this.#joinGroup(values.slice(2, 6)).causes.add(values[1]!)
    }
  }

  #addDeposit(identity: string, values: readonly string[]): void {
    const [time, , , mined, amount, decision, reason, group, numbers, price, priced, allocated, active] = values
    const at = Date.parse(time!)
    const before = this.#deposits.get(identity)
    const orphaned = before && this.groups.get(before.group)
    orphaned?.deposits.delete(identity)
    const orphan = orphaned?.orphans.findLast((one) => one.identity === identity)
    if (orphan && before?.decision === 'orphaned') orphan.until = at
    const firstMined = before && !Number.isNaN(before.firstMined) ? before.firstMined : Date.parse(mined!)
    const deposit = { decision: decision!, reason: reason!, amount: BigInt(amount!), firstMined, group: Number(group) || 0 }
    this.#deposits.set(identity, deposit)
    if (deposit.group === 0) return
    const joined = this.#joinGroup([group!, numbers!, allocated!, active!])
    joined.causes.add('deposit')
    joined.deposits.set(identity, deposit)
    if (joined.price === undefined) {
      joined.price = BigInt(price!)
      joined.priced = Date.parse(priced!)
    }
    if (decision === 'orphaned') joined.orphans.push({ identity, from: at, until: Number.POSITIVE_INFINITY })
  }

  #joinGroup([id, numbers, allocated, active]: readonly string[]): PublishedGroup {
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

  async #sumDeposits(em: EntityManager): Promise<void> {
    const prices = this.#settings.price
    const rows = await sql<{ decision: Decision; amount: string; returned: string; wrong: string[] | null }>(
      em,
      `with current as materialized (
         select distinct on (identity) identity, ${line('decision')} as decision, ${line('reason')} as reason,
           ${line('amount')}::numeric as amount, ${line('mined')} as mined, ${line('refund')} as refund,
           nullif(${line('returned')}, '-')::numeric as returned
         from register_entries where kind = 'deposit' order by identity, index desc
       ), wrong as (
         select decision, identity || ': less than half was returned' as sentence from current where decision = 'refunded' and 2 * returned < amount
         union all
         select min(decision), 'the refund ' || refund || ' is used twice' from current where refund <> '-' group by refund having count(*) > 1
         union all
         select decision, identity || ': ignored as dust, but not below the price' from current
         where reason = 'dust' and amount >= $3::numeric and amount >= (
           select price from unnest($1::timestamptz[], $2::numeric[]) with ordinality as p (since, price, place)
           where since <= mined::timestamptz order by since desc, place desc limit 1)
       )
       select decision, sum(amount) as amount, coalesce(sum(returned) filter (where decision = 'refunded'), 0) as returned,
         (select array_agg(sentence) from wrong where wrong.decision = current.decision) as wrong
       from current group by decision`,
      [
        prices.map(({ from }) => new Date(from)),
        prices.map(({ value }) => value),
        prices.reduce((least, { value }) => (least === 0n || value < least ? value : least), 0n),
      ],
    )
    for (const { decision, amount, returned, wrong } of rows) {
      this.sums[decision] = BigInt(amount)
      this.returned += BigInt(returned)
      this.falseDeposits.push(...(wrong ?? []))
    }
  }

  async #sumPayouts(em: EntityManager): Promise<void> {
    const [row] = await sql<Record<'net' | 'fees' | 'open', string>>(
      em,
      `with current as (
         select distinct on (identity) ${line('state', payoutLines)} as state, ${line('net', payoutLines)}::numeric as net,
           ${line('fee', payoutLines)}::numeric as fee
         from register_entries where kind = 'payout' order by identity, index desc
       )
       select coalesce(sum(net) filter (where state in ('paid', 'elsewhere', 'booked')), 0) as net,
         coalesce(sum(fee) filter (where state in ('paid', 'elsewhere', 'booked')), 0) as fees,
         coalesce(sum(net + fee) filter (where state = 'accepted'), 0) as open
       from current`,
    )
    Object.assign(this, { net: BigInt(row!.net), fees: BigInt(row!.fees), open: BigInt(row!.open) })
  }

  /** Readers compare each payout with the entries before it. Those that books cover are signed. */
  async #findFalsePayouts(em: EntityManager): Promise<void> {
    const rows = await sql<{ sentence: string }>(
      em,
      `with recent as materialized (
         select index, identity, ${line('state', payoutLines)} as state, ${line('time', payoutLines)}::timestamptz as time,
           ${line('net', payoutLines)} as net, ${line('fee', payoutLines)} as fee, ${line('request', payoutLines)} as request
         from register_entries
         where kind = 'payout' and index > (select coalesce(max(index), -1) from register_entries where kind = 'books')
       ), fees as materialized (
         select index, ${line('from', feeLines)}::timestamptz as since, ${line('fee', feeLines)} as fee from register_entries where kind = 'fee'
       )
       select 'payout ' || identity || ': the fee ' || fee || ' was not in force' as sentence from recent
       where state not in ('sweep', 'foreign') and not exists (
         select from fees where fees.fee = recent.fee and fees.index < recent.index and since <= time)
       union all
       select 'payout ' || identity || ': another amount or fee than before' from recent
       where request <> '-' and exists (
         select from register_entries e where e.identity = recent.identity and e.kind = 'payout' and e.index < recent.index
           and (${line('net', payoutLines)}, ${line('fee', payoutLines)}) <> (recent.net, recent.fee))`,
    )
    this.falsePayouts.push(...rows.map(({ sentence }) => sentence))
  }
}

/** The values of an entry's lines, in order. */
const valuesOf = (text: string): string[] =>
  text
    .split('\n')
    .slice(1)
    .map((line) => line.slice(line.indexOf(' ') + 1))

/** The lines of a deposit, a payout and a fee, in the order of the format, after the first line. */
const depositLines =
  'time transfer block mined amount decision reason group numbers price priced allocated active refund returned owner'.split(' ')
const payoutLines = 'time state transfer wallet net fee request owner'.split(' ')
const feeLines = 'time from fee'.split(' ')

/** SQL: the value of a line of `text`. */
function line(name: string, lines: readonly string[] = depositLines): string {
  const position = lines.indexOf(name) + 2
  return `substr(split_part(text, E'\\n', ${position}), ${name.length + 2})`
}
