import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { WithdrawalReviewReason } from '#api/entities/Withdrawal.ts'
import type { Page } from './pagedLists.ts'
import { type Paging, presentPaging } from './presentPaging.ts'
import { readPage } from './readPage.ts'
import { searchPage } from './searchPage.ts'

export interface AdminWithdrawalRow {
  id: string
  email: string
  amount: string
  fee: string
  to_address: Address
  status: WithdrawalStatus
  review_reason: WithdrawalReviewReason | null
  admin_notes: string | null
  created_at: string
  transaction_hash: Hash | null
  has_attempts: boolean
}

/** One page of everybody's withdrawals, or of those whose owner's e-mail address contains a text; latest first. */
export async function listAllWithdrawals(
  em: EntityManager,
  { email, limit, offset }: Page & { email?: string },
): Promise<{ withdrawals: AdminWithdrawal[]; isCut?: boolean } & Paging> {
  const page = { list: 'withdrawals', limit, offset } as const
  const { ids, totalCount, isCut } = email
    ? await searchPage(em, { ...page, email })
    : { ...(await readPage(em, page)), isCut: undefined }
  return {
    withdrawals: await readAdminWithdrawals(em, ids),
    ...presentPaging({ totalCount, limit, offset }),
    ...(isCut !== undefined && { isCut }),
  }
}

/** These withdrawals as administrators see them, in this order. */
export async function readAdminWithdrawals(em: EntityManager, ids: readonly string[]): Promise<AdminWithdrawal[]> {
  if (ids.length === 0) return []
  const rows = await sql<AdminWithdrawalRow>(
    em,
    `select w.id, u.email, w.amount, w.fee, w.to_address, w.status, w.created_at, w.transaction_hash, w.admin_notes,
       case when w.status = 'manual_review' then w.review_reason end as review_reason,
       exists (select from payouts where withdrawal_id = w.id) as has_attempts
     from unnest($1::uuid[]) with ordinality wanted (id, place) join withdrawals w on w.id = wanted.id
     join users u on u.id = w.user_id order by wanted.place`,
    [ids],
  )
  return rows.map((row) => ({
    id: row.id,
    userEmail: row.email,
    amount: BigInt(row.amount),
    feeAmount: BigInt(row.fee),
    toAddress: row.to_address,
    status: row.status,
    createdAt: new Date(row.created_at),
    transactionHash: row.transaction_hash,
    reviewReason: row.review_reason,
    adminNotes: row.admin_notes,
    hasAttempts: row.has_attempts,
  }))
}
