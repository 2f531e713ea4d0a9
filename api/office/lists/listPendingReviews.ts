import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { MAX_DEPOSITS_PER_DECISION } from '#shared/contract/admin/deposits.ts'
import type { listPendingReviews as contract, ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { addBusinessDays, REVIEW_BUSINESS_DAYS } from '#shared/businessDays.ts'
import { settingDefaults } from '#shared/settings.ts'
import { MAX_NODES_AT_ONCE } from '#shared/sale.ts'
import { isOnlyOthers, type Prover, readProversOf } from '#api/accounts/wallets/readProvers.ts'
import { query } from '#api/entities/tables.ts'
// SQL as text: groups deposits into cases beside purchases, by a union of two CTEs that is counted and paged.
import { sql as sqlText } from '#api/platform/db/sql.ts'
import { presentPaging } from '#api/platform/http/presentPaging.ts'
import type { Page } from './pagedLists.ts'
import { readAdminPurchases } from './listAllPurchases.ts'
import { nodePriceOf } from '#api/sale/settings/readSettings.ts'
import { readReportersOf } from '#api/sale/purchases/readReporters.ts'
import { isRestored } from '#api/sale/purchases/restoredDatabase.ts'

interface Case {
  kind: 'purchase' | 'deposits'
  /** The ID of the purchase, or the IDs of the group's oldest deposits. */
  ids: string[]
  count: number
  amount: string
  seen_at: string
}

/** The number of deposits listed in full for each group. */
const SHOWN_OF_GROUP = 20

/** Waiting deposits, grouped by sender; an orphaned deposit is a case of its own. The first condition is that of an index. */
const WAITING = `select id, sender, amount, first_seen_at, state, case state when 'orphaned' then id::text else sender end as party from deposits
  where state in ('review', 'orphaned') and (state = 'review' or state_before_orphaned in ('matched', 'assigned') or block_number is not null)`

const CASES = `with waiting as (${WAITING}), cases as (
    select 'purchase' as kind, array[p.id] as ids, 1 as count, 0::numeric as amount, coalesce(d.seen_at, p.created_at) as seen_at
    from purchases p left join lateral (
      select min(first_seen_at) as seen_at from deposits where purchase_id = p.id and block_number is not null
    ) d on true where p.status = 'manual_review'
    union all
    select 'deposits', (array_agg(id order by first_seen_at, id))[1:${MAX_DEPOSITS_PER_DECISION}], count(*)::int, sum(amount), min(first_seen_at)
    from waiting group by party
  )`

/** The number of cases that need a manual review. */
export async function countCases(em: EntityManager): Promise<number> {
  const [row] = await sqlText<{ cases: number }>(em, `${CASES} select count(*)::int as cases from cases`)
  return row!.cases
}

const due = (seenAt: Date): { seenAt: Date; dueBy: Date } => ({ seenAt, dueBy: addBusinessDays(seenAt, REVIEW_BUSINESS_DAYS) })

/**
 * All cases that need a manual review, oldest first. A purchase waits since its first payment was seen, or else since it was
 * created.
 */
export async function listPendingReviews(
  em: EntityManager,
  { confirmations, limit, offset }: Page & { confirmations: number },
): Promise<Output<typeof contract>> {
  const [totals] = await sqlText<{ cases: number; unmatched: string }>(
    em,
    `${CASES} select count(*)::int as cases, (select coalesce(sum(amount), 0) from waiting where state = 'review') as unmatched from cases`,
  )
  const rows = await sqlText<Case>(em, `${CASES} select * from cases order by seen_at, ids limit $1 offset $2`, [limit, offset])
  const waiting = rows.filter(({ kind }) => kind === 'purchase')
  const grouped = rows.filter(({ kind }) => kind === 'deposits')
  const purchaseIds = waiting.map(({ ids }) => ids[0]!)
  const deposits = await readWaitingDeposits(
    em,
    grouped.flatMap(({ ids }) => ids.slice(0, SHOWN_OF_GROUP)),
  )
  const otherIds = new Set(deposits.flatMap(({ purchaseId }) => purchaseId ?? []))
  for (const id of purchaseIds) otherIds.delete(id)
  const purchases = await readAdminPurchases(em, { ids: purchaseIds, confirmations })
  const others = await readAdminPurchases(em, { ids: [...otherIds], confirmations })
  return {
    purchases: purchases.map((purchase, index) => ({ ...purchase, ...due(new Date(waiting[index]!.seen_at)) })),
    deposits: deposits.map(({ price, ...deposit }) => ({ ...deposit, affordableNodes: affordable(deposit.amount, price) })),
    groups: grouped.map(({ ids, count, amount, seen_at }) => {
      const { sender, price } = deposits.find(({ id }) => id === ids[0])!
      return {
        sender,
        depositIds: ids,
        count,
        amount: BigInt(amount),
        affordableNodes: affordable(BigInt(amount), price),
        ...due(new Date(seen_at)),
      }
    }),
    otherPurchases: others.filter(({ paymentStatus }) => paymentStatus === 'manual_review'),
    unmatchedUsdt: BigInt(totals!.unmatched),
    ...presentPaging({ totalCount: totals!.cases, limit, offset }),
  }
}

async function readWaitingDeposits(
  em: EntityManager,
  ids: readonly string[],
): Promise<(Omit<ReviewDeposit, 'affordableNodes'> & { price: string | null })[]> {
  const isUnknown = await isRestored(em)
  const deposits = await query(em)
    .selectFrom('deposits as d')
    .leftJoin('users as u', 'u.id', 'd.user')
    .leftJoin('reviewed_wallets as r', (join) => join.onRef('r.address', '=', 'd.sender').onRef('r.until', '>=', 'd.blockTime'))
    .select((eb) =>
      eb
        .or([eb.val(isUnknown), eb('r.address', 'is not', null)])
        .$castTo<boolean>()
        .as('mayBeRefunded'),
    )
    .select(['d.id', 'd.transactionHash', 'd.sender', 'd.amount', 'd.state', 'd.reviewReason', 'd.firstSeenAt'])
    .select(['u.email as probableUserEmail', 'u.id as probableUserId', 'd.purchase as purchaseId'])
    .select((eb) =>
      eb
        .selectFrom('setting_changes as s')
        .select('s.value')
        .where('s.key', '=', 'node_price_usdt')
        .whereRef('s.effectiveAt', '<=', 'd.blockTime')
        .orderBy('s.effectiveAt', 'desc')
        .orderBy('s.id', 'desc')
        .limit(1)
        .as('price'),
    )
    .where('d.id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('d.firstSeenAt')
    .orderBy('d.id')
    .execute()
  const proversOf = await readProversOf(
    em,
    deposits.map(({ sender }) => sender),
  )
  const reportersOf = await readReportersOf(
    em,
    deposits.map(({ transactionHash }) => transactionHash),
  )
  return deposits.map(({ state, reviewReason, firstSeenAt, ...deposit }) => ({
    ...deposit,
    reporters: reportersOf.get(deposit.transactionHash) ?? [],
    ...withProvers(deposit, proversOf.get(deposit.sender) ?? []),
    // Every transition into review sets a reason.
    reason: state === 'orphaned' ? 'orphaned' : reviewReason!,
    ...due(firstSeenAt),
  }))
}

/** Who has the payment, by the rule of `findPayer`: also an account that has proven the wallet since. */
function withProvers(
  { probableUserEmail, probableUserId }: Pick<ReviewDeposit, 'probableUserEmail'> & { probableUserId: string | null },
  provers: Prover[],
): Pick<ReviewDeposit, 'provers' | 'probableUserEmail' | 'probableUserId'> {
  const ids = provers.map(({ userId }) => userId)
  const [last] = provers
  const isKnown = probableUserId !== null && !isOnlyOthers(ids, probableUserId)
  return {
    provers,
    ...(!isKnown && last
      ? { probableUserEmail: last.email, probableUserId: last.userId }
      : { probableUserEmail, probableUserId }),
  }
}

function affordable(amount: bigint, price: string | null): number {
  const unitPrice = nodePriceOf({ node_price_usdt: price ?? settingDefaults.node_price_usdt })
  if (unitPrice === 0n) return 0
  const nodes = amount / unitPrice
  return nodes < MAX_NODES_AT_ONCE ? Number(nodes) : MAX_NODES_AT_ONCE
}
