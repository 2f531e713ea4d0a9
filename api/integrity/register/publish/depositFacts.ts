import type { EntityManager } from '@mikro-orm/postgresql'
import { DAY, MINUTE } from '#shared/dates.ts'
import { parseEntry, type Unsealed } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import type { Transfer } from '#shared/register/values.ts'
import { query } from '#api/entities/tables.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { DepositDecision } from '#api/entities/DepositDecision.ts'
import { readDecisionTimes } from './decisionTimes.ts'
import type { Fact } from './Draft.ts'
import type { NodeGroup } from './OwnedNodes.ts'
import type { PriceHistory } from './PriceHistory.ts'

type Decision = Pick<
  DepositDecision,
  | 'depositId'
  | 'decidedAt'
  | 'transactionHash'
  | 'ordinal'
  | 'amount'
  | 'blockNumber'
  | 'blockTime'
  | 'logIndex'
  | 'state'
  | 'reviewReason'
  | 'stateBeforeOrphaned'
  | 'purchaseId'
  | 'userId'
  | 'refundHash'
  | 'refundOrdinal'
  | 'refundedAmount'
> & { id: number }

/** A purchase with nodes, and its payments as they are at present. */
export interface PaidPurchase {
  unitPrice: bigint
  /** Real time. */
  openedAt: Date
  /** The sum of the counted and orphaned deposits. */
  received: bigint
  /** Whether each of them was settled by the product's rules: in full, in time and without an administrator. */
  isMatched: boolean
}

interface Options {
  now: Date
  isDemo: boolean
  groups: ReadonlyMap<string, NodeGroup>
  purchases: ReadonlyMap<string, PaidPurchase>
  prices: PriceHistory
  /** Purchases that the log shows, or will show, as confirmed without a payment. */
  unpaid: ReadonlySet<string>
  /** Only so many decisions, after this one, of payments that were ignored as they came; none if there are fewer. */
  ignored?: Batch
}

interface Batch {
  after: number
  count: number
}

type DepositEntry = Unsealed<'deposit'>

/** Decisions on deposits that are not in the log, and the purchases whose nodes are kept although a payment is gone for good. */
export async function depositFacts(
  em: EntityManager,
  { now, isDemo, ignored, ...options }: Options,
): Promise<{
  facts: Fact[]
  keptUnpaid: Map<string, Date>
  /** The last decision that was read. */
  last: number | undefined
}> {
  const rows = await readUnpublished(em, ignored)
  const times = await readDecisionTimes(em, rows, { now, isDemo })
  const published = await readCurrent(em, [...new Set(rows.map(identityOf))])
  const facts: Fact[] = []
  const keptUnpaid = new Map<string, Date>()
  const lastPurchases = new Map<string, string>()
  const numbered = new Set(rows.flatMap(({ depositId, refundOrdinal }) => (refundOrdinal === null ? [] : [depositId])))
  for (const row of rows) {
    // A refund whose transfer was only found afterwards.
    if (row.refundHash !== null && row.refundOrdinal === null && numbered.has(row.depositId)) continue
    const identity = identityOf(row)
    const before = published.get(identity)
    const time = times.get(row.id)!
    const derived = derive({ ...row, decidedAt: time }, before, options)
    if (!derived || (before && isSame(before, derived.entry))) continue
    published.set(identity, derived.entry)
    if (derived.entry.decision === 'vanished') {
      const purchaseId = lastPurchases.get(identity) ?? (await findPurchase(em, row))
      if (purchaseId && options.groups.has(purchaseId)) keptUnpaid.set(purchaseId, time)
    }
    if (derived.purchaseId) lastPurchases.set(identity, derived.purchaseId)
    const { entry, purchaseId } = derived
    const userId = purchaseId ? options.groups.get(purchaseId)!.userId : entry.decision === 'vanished' ? null : row.userId
    facts.push({ subject: `decision:${row.id}`, time, entry, identity, purchaseId, userId: userId ?? null })
  }
  return { facts, keptUnpaid, last: rows.at(-1)?.id }
}

const transferOf = ({ transactionHash, ordinal }: Pick<Decision, 'transactionHash' | 'ordinal'>): Transfer => ({
  transaction: transactionHash,
  ordinal,
})
const identityOf = ({ transactionHash, ordinal }: Decision): string => `${transactionHash} ${ordinal}`

/** A deposit's decisions are published in order, so those before a published one were left out for good. */
const readUnpublished = async (em: EntityManager, ignored: Batch | undefined): Promise<Decision[]> => {
  const found = await sql<{ id: number }>(
    em,
    `select d.id from deposit_decisions d
     where not exists (select from register_entries e where e.subject = 'decision:' || d.id)
       and not exists (select from deposit_decisions later join register_entries e on e.subject = 'decision:' || later.id
         where later.deposit_id = d.deposit_id and later.id > d.id)
       and ($1::int is null or (d.id > $2 and d.state = 'ignored' and d.purchase_id is null and d.block_number is not null
         and not exists (select from deposit_decisions other where other.deposit_id = d.deposit_id and other.id <> d.id)))
     order by d.id limit $1`,
    [ignored?.count ?? null, ignored?.after ?? 0],
  )
  if (ignored && found.length < ignored.count) return []
  const rows: Decision[] = []
  for (let start = 0; start < found.length; start += 5_000)
    rows.push(
      ...(await query(em)
        .selectFrom('deposit_decisions')
        .selectAll()
        .where(
          'id',
          'in',
          found.slice(start, start + 5_000).map(({ id }) => id),
        )
        .execute()),
    )
  return rows.toSorted((a, b) => a.id - b.id)
}

/** The current entries of these transfers. */
export async function readCurrent(em: EntityManager, identities: readonly string[]): Promise<Map<string, DepositEntry>> {
  const rows = await sql<{ identity: string; text: string }>(
    em,
    `select distinct on (identity) identity, text from register_entries where identity = any($1) order by identity, index desc`,
    [identities],
  )
  return new Map(
    rows.flatMap(({ identity, text }) => {
      const entry = parseEntry(text)
      return entry.kind === 'deposit' ? [[identity, entry] as const] : []
    }),
  )
}

/** The purchase that the deposit paid for before this decision. */
async function findPurchase(em: EntityManager, { depositId, id }: Decision): Promise<string | null> {
  const row = await query(em)
    .selectFrom('deposit_decisions')
    .select(['purchaseId', 'state', 'stateBeforeOrphaned'])
    .where('depositId', '=', depositId)
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && isPayment(row.stateBeforeOrphaned ?? row.state) ? row.purchaseId : null
}

const isPayment = (state: string): boolean => state === 'matched' || state === 'assigned'

const noGroup = { group: null, numbers: null, price: null, priced: null, allocated: null, active: null }
const noRefund = { refund: null, returned: null }

function derive(
  row: Decision,
  before: DepositEntry | undefined,
  options: Omit<Options, 'now' | 'isDemo' | 'ignored'>,
): { entry: DepositEntry; purchaseId: string | null } | undefined {
  const base = { kind: 'deposit', time: row.decidedAt, transfer: transferOf(row), amount: row.amount } as const
  const isMined = row.blockNumber !== null && row.blockTime !== null && row.logIndex !== null
  const place = isMined
    ? { block: { number: row.blockNumber!, logIndex: row.logIndex! }, mined: row.blockTime! }
    : { block: null, mined: null }
  if (row.state === 'seen' || row.amount === 0n) {
    if (!before || before.decision === 'vanished') return undefined
    const entry = { ...base, amount: before.amount, decision: 'vanished', reason: null, block: null, mined: null } as const
    return { entry: { ...entry, ...noGroup, ...noRefund }, purchaseId: null }
  }
  // An orphaned deposit that an administrator ignores keeps its nodes frozen, and nothing changes in what is known of it.
  const isOrphaned = row.stateBeforeOrphaned !== null || !isMined
  const state = row.stateBeforeOrphaned ?? row.state
  const { purchaseId } = row
  const group = purchaseId && isPayment(state) ? options.groups.get(purchaseId) : undefined
  const settled = group && purchaseId ? countedValues(purchaseId, group, options) : undefined
  const decided = settled ?? { ...undecidedValues(row, state, options), ...noGroup, ...refundOf(row, state) }
  const { reason, decision, ...values } = decided
  const entry: DepositEntry = isOrphaned
    ? { ...base, ...values, decision: 'orphaned', reason: reasonBefore(decision), block: null, mined: null }
    : { ...base, ...values, decision, reason, ...place }
  return { entry, purchaseId: settled ? (purchaseId ?? null) : null }
}

const reasonBefore = (decision: EntryOf<'deposit'>['decision']) =>
  decision === 'counted' || decision === 'refunded' || decision === 'ignored' ? decision : 'review'

function countedValues(purchaseId: string, group: NodeGroup, { purchases, unpaid }: Omit<Options, 'now' | 'isDemo'>) {
  const purchase = purchases.get(purchaseId)
  if (!purchase) throw new Error(`The purchase ${purchaseId} has nodes and is not known.`)
  const reason = unpaid.has(purchaseId) ? 'owed' : purchase.isMatched ? 'matched' : 'decision'
  return {
    decision: 'counted',
    reason,
    group: null,
    numbers: group.numbers,
    price: purchase.unitPrice > 0n ? purchase.unitPrice : 1n,
    priced: purchase.openedAt,
    allocated: group.allocated,
    active: group.active,
    ...noRefund,
  } as const
}

/** A refund of less than half does not count as one. */
const isRefund = ({ amount, refundedAmount, refundHash }: Decision, state: string): boolean =>
  state === 'refunded' && refundHash !== null && 2n * (refundedAmount ?? 0n) >= amount

function undecidedValues(row: Decision, state: string, { prices }: Omit<Options, 'now' | 'isDemo'>) {
  if (isRefund(row, state))
    return { decision: 'refunded', reason: row.refundedAmount! < row.amount ? 'partial' : 'full' } as const
  if (state === 'review') return { decision: 'review', reason: row.reviewReason ?? 'unmatched' } as const
  const price = row.blockTime && prices.at(row.blockTime)
  return { decision: 'ignored', reason: price && row.amount < price ? 'dust' : 'decision' } as const
}

const refundOf = (row: Decision, state: string) =>
  isRefund(row, state)
    ? { refund: { transaction: row.refundHash!, ordinal: row.refundOrdinal ?? 0 }, returned: row.refundedAmount! }
    : noRefund

const compared = [
  ...(['transfer', 'block', 'mined', 'amount', 'decision', 'reason', 'numbers', 'price'] as const),
  ...(['priced', 'allocated', 'active', 'refund', 'returned'] as const),
] as const

/** Whether two versions say the same, apart from their times. */
function isSame(one: DepositEntry, other: DepositEntry): boolean {
  const factsOf = (entry: DepositEntry) =>
    JSON.stringify(
      compared.map((name) => entry[name]),
      (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    )
  return factsOf(one) === factsOf(other)
}

/** Whether a payment in full at the list price, in time: what `matched` says in the register (format.md, E2). */
export function isInFull(
  deposits: readonly { amount: bigint; blockTime: Date | null }[],
  { unitPrice, openedAt, count, list }: { unitPrice: bigint; openedAt: Date; count: number; list: bigint | undefined },
): boolean {
  const received = deposits.reduce((sum, { amount }) => sum + amount, 0n)
  const isInTime = deposits.every(({ blockTime }) => {
    if (!blockTime) return false
    const late = openedAt.getTime() - blockTime.getTime()
    return late >= -DAY && late <= MINUTE
  })
  return unitPrice > 0n && unitPrice === list && received === unitPrice * BigInt(count) && isInTime
}
