import type { EntityManager } from '@mikro-orm/postgresql'
import { type Withdrawal, MAX_WITHDRAWALS, type WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { query } from '#api/entities/tables.ts'

export interface WithdrawalFilter {
  userId: string
  id?: string
  status?: WithdrawalStatus
}

/** An account's withdrawals, newest first; only the given one if `id` is set. */
export async function listWithdrawals(em: EntityManager, { userId, id, status }: WithdrawalFilter): Promise<Withdrawal[]> {
  return query(em)
    .selectFrom('withdrawals as w')
    .innerJoin('users as u', 'u.id', 'w.user')
    .select([
      'w.id',
      'u.email as userEmail',
      'w.amount',
      'w.fee as feeAmount',
      'w.toAddress',
      'w.status',
      'w.createdAt',
      'w.transactionHash',
    ])
    .where('w.user', '=', userId)
    .$if(id !== undefined, (where) => where.where('w.id', '=', id!))
    .$if(status !== undefined, (where) => where.where('w.status', '=', status!))
    .orderBy('w.createdAt', 'desc')
    .orderBy('w.id', 'desc')
    .limit(MAX_WITHDRAWALS)
    .execute()
}
