import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { query } from '#api/entities/tables.ts'
import type { PayoutState } from '#api/entities/Payout.ts'
import { withdrawalClosed, withdrawalUnknown } from './errors.ts'

export interface LockedWithdrawal {
  id: string
  status: WithdrawalStatus
  recipient: Address
  /** The amount after the fee. */
  net: bigint
  requestedAt: Date
  heldUntil: Date | null
  /** Null if the withdrawal was never signed. */
  payout: { id: string; state: PayoutState } | null
}

/**
 * Locks a withdrawal for a decision of an administrator or its owner. The worker takes the same lock before it signs or settles, so the two cannot
 * interleave.
 *
 * @throws 404 also if it is not of this `owner`; 409 `withdrawal_closed` if its state is not one of `states`.
 */
export async function lockWithdrawal(
  em: EntityManager,
  { id, owner, states }: { id: string; owner?: string; states: readonly WithdrawalStatus[] },
): Promise<LockedWithdrawal> {
  const row = await query(em)
    .selectFrom('withdrawals')
    .select((eb) => ['status', 'toAddress', eb('amount', '-', eb.ref('fee')).as('net'), 'requestedAt', 'heldUntil'])
    .where('id', '=', id)
    .$if(owner !== undefined, (rows) => rows.where('user', '=', owner!))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw withdrawalUnknown()
  if (!states.includes(row.status)) throw withdrawalClosed(row.status)
  const payout = await query(em)
    .selectFrom('payouts')
    .select(['id', 'state'])
    .where('withdrawal', '=', id)
    .forUpdate()
    .executeTakeFirst()
  const { toAddress, ...withdrawal } = row
  return { id, ...withdrawal, recipient: toAddress, payout: payout ?? null }
}

/** Appends a line to the administrators' notes. */
export async function addWithdrawalNote(
  em: EntityManager,
  { id, note }: { id: string; note: string | undefined },
): Promise<void> {
  if (!note?.trim()) return
  await query(em)
    .updateTable('withdrawals')
    .set((eb) => ({ adminNotes: sql`concat_ws(E'\\n', ${eb.ref('adminNotes')}, ${note.trim()}::text)` }))
    .where('id', '=', id)
    .execute()
}
