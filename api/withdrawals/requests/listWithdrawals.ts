import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { type Withdrawal, WITHDRAWALS_LISTED, type WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { sql } from '#api/platform/db/sql.ts'

interface WithdrawalRow {
  id: string
  email: string
  amount: string
  fee: string
  to_address: Address
  status: WithdrawalStatus
  created_at: string
  transaction_hash: Hash | null
}

export interface WithdrawalFilter {
  userId: string
  id?: string
  status?: WithdrawalStatus
}

/** An account's withdrawals, latest first; the one of an id if there is one named. */
export async function listWithdrawals(em: EntityManager, { userId, id, status }: WithdrawalFilter): Promise<Withdrawal[]> {
  const rows = await sql<WithdrawalRow>(
    em,
    `select w.id, u.email, w.amount, w.fee, w.to_address, w.status, w.created_at, w.transaction_hash
     from withdrawals w join users u on u.id = w.user_id
     where w.user_id = $1 and ($2::uuid is null or w.id = $2) and ($3::text is null or w.status = $3)
     order by w.created_at desc, w.id desc limit ${WITHDRAWALS_LISTED}`,
    [userId, id ?? null, status ?? null],
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
  }))
}
