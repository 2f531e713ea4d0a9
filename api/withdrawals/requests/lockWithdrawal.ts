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
  /** What the wallet receives. */
  net: bigint
  requestedAt: Date
  /** Null while nothing was ever signed for it. */
  payout: { id: string; state: PayoutState } | null
}

/**
 * The row that a person decides on, locked: the worker, which locks it before it signs or settles, decides before or after and not
 * meanwhile.
 *
 * @throws 404; 409 `withdrawal_closed` if its state is none of these.
 */
export async function lockWithdrawal(
  em: EntityManager,
  { id, states }: { id: string; states: readonly WithdrawalStatus[] },
): Promise<LockedWithdrawal> {
  const row = await query(em)
    .selectFrom('withdrawals')
    .select((eb) => ['status', 'toAddress', eb('amount', '-', eb.ref('fee')).as('net'), 'requestedAt'])
    .where('id', '=', id)
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

/** Adds a line to what administrators have noted. */
export async function noteOnWithdrawal(em: EntityManager, { id, note }: { id: string; note: string | undefined }): Promise<void> {
  if (!note?.trim()) return
  await query(em)
    .updateTable('withdrawals')
    .set((eb) => ({ adminNotes: sql`concat_ws(E'\\n', ${eb.ref('adminNotes')}, ${note.trim()}::text)` }))
    .where('id', '=', id)
    .execute()
}
