import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { sql } from '#api/platform/db/sql.ts'
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
  const [row] = await sql<{ status: WithdrawalStatus; to_address: Address; net: string; requested_at: string }>(
    em,
    'select status, to_address, amount - fee as net, requested_at from withdrawals where id = $1 for update',
    [id],
  )
  if (!row) throw withdrawalUnknown()
  if (!states.includes(row.status)) throw withdrawalClosed(row.status)
  const [payout] = await sql<{ id: string; state: PayoutState }>(
    em,
    'select id, state from payouts where withdrawal_id = $1 for update',
    [id],
  )
  return {
    id,
    status: row.status,
    recipient: row.to_address,
    net: BigInt(row.net),
    requestedAt: new Date(row.requested_at),
    payout: payout ?? null,
  }
}

/** Adds a line to what administrators have noted. */
export async function noteOnWithdrawal(em: EntityManager, { id, note }: { id: string; note: string | undefined }): Promise<void> {
  if (!note?.trim()) return
  await sql(em, `update withdrawals set admin_notes = concat_ws(E'\\n', admin_notes, $2::text) where id = $1`, [id, note.trim()])
}
