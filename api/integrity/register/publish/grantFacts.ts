import type { EntityManager } from '@mikro-orm/postgresql'
import { NODES_PER_BONUS } from '#shared/sale.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { query } from '#api/entities/tables.ts'
import { sql } from '#api/platform/db/sql.ts'
import { isInFull, type PaidPurchase } from './depositFacts.ts'
import type { Fact } from './Draft.ts'
import type { NodeGroup } from './OwnedNodes.ts'
import type { PriceHistory } from './PriceHistory.ts'
import { earlier } from './settingFacts.ts'

/** How the nodes of a purchase count in the register. */
export type GroupKind = 'paid' | 'bonus' | 'granted'

interface Purchase extends PaidPurchase {
  confirmedAt: Date
  /** Confirmed without a deposit, which it is still owed. */
  isOwed: boolean
  depositCount: number
}

/** The purchases of these groups with their payments. */
export async function readPurchases(
  em: EntityManager,
  { groups, prices }: { groups: ReadonlyMap<string, NodeGroup>; prices: PriceHistory },
): Promise<Map<string, Purchase>> {
  const ids = [...groups].flatMap(([id, { kind }]) => (kind === 'paid' ? [id] : []))
  const purchases = await query(em)
    .selectFrom('purchases')
    .select(['id', 'unitPrice', 'openedAt', 'closedAt', 'owedDeposit'])
    .where('status', '=', 'confirmed')
    .execute()
  const payments = await sql<{ id: string; amount: string; state: string; isOrphaned: boolean; blockTime: string | null }>(
    em,
    `select purchase_id as id, amount, coalesce(state_before_orphaned, state) as state, state_before_orphaned is not null as "isOrphaned",
       block_time as "blockTime"
     from deposits where purchase_id is not null and coalesce(state_before_orphaned, state) in ('matched', 'assigned')`,
  )
  const byHand = await sql<{ target: string }>(
    em,
    `select distinct target from audit_entries where action in ('purchase.approve', 'purchase.manual_confirm')`,
  )
  const decided = new Set(byHand.map(({ target }) => target))
  const paymentsOf = Map.groupBy(payments, ({ id }) => id)
  const known = new Set(ids)
  return new Map(
    purchases.flatMap(({ id, unitPrice, openedAt, closedAt, owedDeposit }) => {
      if (!known.has(id)) return []
      const deposits = (paymentsOf.get(id) ?? []).map(({ amount, blockTime, ...payment }) => ({
        ...payment,
        amount: BigInt(amount),
        blockTime: blockTime === null ? null : new Date(blockTime),
      }))
      const list = prices.at(openedAt)
      const isMatched =
        !decided.has(`purchase:${id}`) &&
        deposits.every(({ state, isOrphaned }) => state === 'matched' && !isOrphaned) &&
        isInFull(deposits, { unitPrice, openedAt, count: groups.get(id)!.count, list })
      const received = deposits.reduce((sum, { amount }) => sum + amount, 0n)
      const confirmedAt = closedAt ?? openedAt
      return [[id, { unitPrice, openedAt, received, isMatched, confirmedAt, isOwed: owedDeposit, depositCount: deposits.length }]]
    }),
  )
}

interface Options {
  now: Date
  groups: ReadonlyMap<string, NodeGroup>
  purchases: ReadonlyMap<string, Purchase>
  prices: PriceHistory
  /** The kinds of the groups that are in the log. */
  kinds: ReadonlyMap<string, GroupKind>
  /** The days that the publication appends. */
  days: readonly string[]
  /** The last day in the log. */
  lastDay: string | undefined
}

export interface Grants {
  facts: Fact[]
  /** The kinds of all groups, the new ones included. */
  kinds: Map<string, GroupKind>
  /** Purchases that are shown as confirmed without a payment. */
  unpaid: Set<string>
}

/** Nodes without a payment that are not in the log, and the kinds of new groups, which they keep. */
export async function grantFacts(
  em: EntityManager,
  { now, groups, purchases, prices, kinds: known, days, lastDay }: Options,
): Promise<Grants> {
  const kinds = new Map(known)
  const facts: Fact[] = []
  const published = await readPublished(em)
  const unpaid = new Set([...groups.keys()].filter((id) => published.has(`grant:${id}:unpaid`)))
  const grant = (purchaseId: string, cause: EntryOf<'grant'>['cause'], at: Date) => {
    const subject = `grant:${purchaseId}:${cause}`
    if (!published.has(subject))
      facts.push(grantFact({ purchaseId, cause, group: groups.get(purchaseId)!, time: earlier(at, now) }))
  }
  for (const [id, purchase] of purchases) {
    const group = groups.get(id)!
    if (purchase.isOwed || purchase.depositCount === 0) {
      grant(id, 'unpaid', purchase.confirmedAt)
      unpaid.add(id)
    }
    if (kinds.has(id)) continue
    const list = prices.at(purchase.openedAt) ?? 0n
    const isGift = !unpaid.has(id) && 2n * purchase.received < BigInt(group.count) * list
    if (isGift) grant(id, 'gift', purchase.confirmedAt)
    kinds.set(id, isGift ? 'granted' : 'paid')
  }
  const bonus = await readBonus(
    em,
    [...groups].flatMap(([id, { kind }]) => (kind === 'bonus' && !kinds.has(id) ? [id] : [])),
  )
  const counts = new BonusRule(groups, kinds)
  for (const { id, at, isDue } of bonus) {
    const group = groups.get(id)!
    const isRule = isDue && counts.allows(group, firstDayOf(group, { days, lastDay }))
    grant(id, isRule ? 'rule' : 'hand', at)
    kinds.set(id, isRule ? 'bonus' : 'granted')
  }
  return { facts, kinds, unpaid }
}

/** The entry of a grant. */
export const grantFact = ({
  purchaseId,
  cause,
  group,
  time,
}: {
  purchaseId: string
  cause: EntryOf<'grant'>['cause']
  group: NodeGroup
  time: Date
}): Fact => {
  const { numbers, allocated, active, userId } = group
  const entry = { kind: 'grant', time, cause, group: null, numbers, allocated, active } as const
  return { subject: `grant:${purchaseId}:${cause}`, time, entry, identity: null, purchaseId, userId }
}

async function readPublished(em: EntityManager): Promise<Set<string>> {
  const rows = await query(em).selectFrom('register_entries').select('subject').where('kind', '=', 'grant').execute()
  return new Set(rows.flatMap(({ subject }) => subject ?? []))
}

/** Bonus grants in the order of their allocation, and whether the product's rule was their cause. */
const readBonus = (em: EntityManager, ids: readonly string[]) =>
  sql<{ id: string; at: string; isDue: boolean }>(
    em,
    `with due as (
       select jsonb_path_query(after, '$.granted[*].purchaseId') #>> '{}' as id from audit_entries where action = 'bonus.grant_due'
     )
     select p.id, p.closed_at as at, p.id::text in (select id from due) as "isDue"
     from purchases p where p.id = any($1::uuid[]) order by p.confirmed_at, p.id`,
    [ids],
  ).then((rows) => rows.map((row) => ({ ...row, at: new Date(row.at) })))

/** The first day whose tree contains a new group; the day after the last if it is not allocated yet on any. */
function firstDayOf({ allocated }: NodeGroup, { days, lastDay }: Pick<Options, 'days' | 'lastDay'>): string | undefined {
  const found = days.find((day) => allocated <= rewardInstant(day))
  const last = days.at(-1) ?? lastDay
  return found ?? (last && dayAfter(last))
}

/** E3: bonus nodes by the rule are at most a tenth of the paid ones, on each day. */
class BonusRule {
  readonly #paid: { allocated: Date; count: number }[] = []
  readonly #bonus: { allocated: Date; count: number }[] = []

  constructor(groups: ReadonlyMap<string, NodeGroup>, kinds: ReadonlyMap<string, GroupKind>) {
    for (const [id, { allocated, count }] of groups) {
      const kind = kinds.get(id)
      if (kind === 'paid') this.#paid.push({ allocated, count })
      else if (kind === 'bonus') this.#bonus.push({ allocated, count })
    }
  }

  /** Counts the group in if the rule allows it on its first day. */
  allows(group: NodeGroup, day: string | undefined): boolean {
    if (day === undefined) return false
    const at = rewardInstant(day)
    const sum = (groups: readonly { allocated: Date; count: number }[]) =>
      groups.reduce((total, { allocated, count }) => total + (allocated <= at ? count : 0), 0)
    const isAllowed = NODES_PER_BONUS * (sum(this.#bonus) + group.count) <= sum(this.#paid)
    if (isAllowed) this.#bonus.push({ allocated: group.allocated, count: group.count })
    return isAllowed
  }
}
