import type { EntityManager } from '@mikro-orm/postgresql'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import type { AdminWithdrawal, summarizeWithdrawals as summaryContract } from '#shared/contract/admin/withdrawals.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { inOrder } from './inOrder.ts'
import { query } from '#api/entities/tables.ts'
import { isNarrowed } from './isNarrowed.ts'
import { matchWithdrawals, rowOrders, type WithdrawalMatch } from './matchRows.ts'
import { type Page, type PageIds, withdrawalConditions } from './pagedLists.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { readFilteredPage, readPage, readSortedPage } from './readPage.ts'
import { searchPage } from './searchPage.ts'
import { ARE_CAPPED, presentWaiting } from '#api/withdrawals/requests/listWithdrawals.ts'

/** One page of the withdrawals that match, newest first unless `sort` says otherwise. */
export async function listAllWithdrawals(
  em: EntityManager,
  asked: AskedWithdrawals,
): Promise<{ withdrawals: AdminWithdrawal[]; isCut?: boolean } & Paging> {
  const { ids, totalCount, isCut } = await findWithdrawals(em, asked)
  return {
    withdrawals: await readAdminWithdrawals(em, ids),
    ...presentPaging({ totalCount, ...asked }),
    ...(isCut !== undefined && { isCut }),
  }
}

type AskedWithdrawals = Page & WithdrawalMatch & { sort?: RowSort | undefined }

/** Reads what there is a fast way for in that way, and everything else from all matches. */
async function findWithdrawals(em: EntityManager, asked: AskedWithdrawals): Promise<PageIds & { isCut?: boolean }> {
  const { limit, offset, sort = 'newest', email, status, ...others } = asked
  if (isNarrowed(others)) return readMatches(em, asked)
  const page = { list: 'withdrawals', limit, offset } as const
  if (sort !== 'newest') return email || status ? readMatches(em, asked) : readSortedPage(em, { ...page, ...rowOrders[sort] })
  const condition = status && withdrawalConditions[status]
  if (email) return searchPage(em, { ...page, email, condition })
  return condition ? readFilteredPage(em, { ...page, condition }) : readPage(em, page)
}

async function readMatches(em: EntityManager, { limit, offset, sort = 'newest', ...filter }: AskedWithdrawals): Promise<PageIds> {
  const matches = matchWithdrawals(em, filter)
  const { totalCount } = await matches.select(({ fn }) => fn.countAll<number>().as('totalCount')).executeTakeFirstOrThrow()
  const { by, direction } = rowOrders[sort]
  const rows = await matches
    .select('r.id')
    .orderBy(`r.${by}`, direction)
    .orderBy('r.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  return { ids: rows.map(({ id }) => id), totalCount }
}

/** The sums of all withdrawals that match. For a refunded one no fee is charged. */
export async function summarizeWithdrawals(em: EntityManager, filter: WithdrawalMatch): Promise<Output<typeof summaryContract>> {
  const { count, amount, fees } = await matchWithdrawals(em, filter)
    .select(({ fn, eb, lit }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<bigint>('r.amount'), lit(0)).as('amount'),
      fn.coalesce(fn.sum<bigint>('r.fee').filterWhere(eb('r.status', '<>', 'failed')), lit(0)).as('fees'),
    ])
    .executeTakeFirstOrThrow()
  return { count, amount: BigInt(amount), fees: BigInt(fees) }
}

/** These withdrawals as shown to administrators, in this order. */
export async function readAdminWithdrawals(em: EntityManager, ids: readonly string[]): Promise<AdminWithdrawal[]> {
  if (ids.length === 0) return []
  const withdrawals = await query(em)
    .selectFrom('withdrawals as w')
    .innerJoin('users as u', 'u.id', 'w.user')
    .leftJoin('payouts as p', 'p.withdrawal', 'w.id')
    .select([
      'w.id',
      'u.id as userId',
      'u.email as userEmail',
      'w.amount',
      'w.fee as feeAmount',
      'w.toAddress',
      'w.status',
      'w.createdAt',
    ])
    .select(['w.transactionHash', 'w.reviewReason', 'w.adminNotes', 'w.heldUntil', 'p.id as payoutId'])
    .select(['u.frozenAt', 'u.thawsAt', 'u.withdrawalsReviewedUntil'])
    .select(ARE_CAPPED.as('isCapped'))
    .where('w.id', 'in', ids)
    .execute()
  return inOrder(withdrawals, ids).map(({ payoutId, frozenAt, thawsAt, withdrawalsReviewedUntil, ...withdrawal }) => ({
    ...presentWaiting({ ...withdrawal, isUnsigned: payoutId === null }),
    reviewReason: withdrawal.status === 'manual_review' ? withdrawal.reviewReason : null,
    hasAttempts: payoutId !== null,
    account: { frozenAt, thawsAt, heldUntil: withdrawalsReviewedUntil },
  }))
}
