import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminWithdrawal, WithdrawalFilter } from '#shared/contract/admin/withdrawals.ts'
import { inOrder } from './inOrder.ts'
import { query } from '#api/entities/tables.ts'
import { type Page, withdrawalConditions } from './pagedLists.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { readFilteredPage, readPage } from './readPage.ts'
import { searchPage } from './searchPage.ts'
import { ARE_CAPPED, presentWaiting } from '#api/withdrawals/requests/listWithdrawals.ts'

/** One page of all withdrawals, or of those with a status or whose owner's email address contains a text; newest first. */
export async function listAllWithdrawals(
  em: EntityManager,
  { email, status, limit, offset }: Page & { email?: string; status?: WithdrawalFilter | undefined },
): Promise<{ withdrawals: AdminWithdrawal[]; isCut?: boolean } & Paging> {
  const page = { list: 'withdrawals', limit, offset } as const
  const condition = status && withdrawalConditions[status]
  const { ids, totalCount, isCut } = email
    ? await searchPage(em, { ...page, email, condition })
    : condition
      ? await readFilteredPage(em, { ...page, condition })
      : { ...(await readPage(em, page)), isCut: undefined }
  return {
    withdrawals: await readAdminWithdrawals(em, ids),
    ...presentPaging({ totalCount, limit, offset }),
    ...(isCut !== undefined && { isCut }),
  }
}

/** These withdrawals as shown to administrators, in this order. */
export async function readAdminWithdrawals(em: EntityManager, ids: readonly string[]): Promise<AdminWithdrawal[]> {
  if (ids.length === 0) return []
  const withdrawals = await query(em)
    .selectFrom('withdrawals as w')
    .innerJoin('users as u', 'u.id', 'w.user')
    .leftJoin('payouts as p', 'p.withdrawal', 'w.id')
    .select(['w.id', 'u.email as userEmail', 'w.amount', 'w.fee as feeAmount', 'w.toAddress', 'w.status', 'w.createdAt'])
    .select(['w.transactionHash', 'w.reviewReason', 'w.adminNotes', 'w.heldUntil', 'p.id as payoutId'])
    .select(ARE_CAPPED.as('isCapped'))
    .where('w.id', 'in', ids)
    .execute()
  return inOrder(withdrawals, ids).map(({ payoutId, ...withdrawal }) => ({
    ...presentWaiting({ ...withdrawal, isUnsigned: payoutId === null }),
    reviewReason: withdrawal.status === 'manual_review' ? withdrawal.reviewReason : null,
    hasAttempts: payoutId !== null,
  }))
}
