import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { SECOND } from '#shared/dates.ts'
import { MAX_UNBACKED_NODES } from '#shared/sale.ts'
// SQL as text: `reservationRows.ts`, which is SQL text, embeds the holds in its own statement.
import { sql } from '#api/platform/db/sql.ts'
import type { DomainError } from '#api/platform/errors.ts'
import * as refuse from './errors.ts'
import type { Funds } from './readFunds.ts'

/** SQL for the requests that hold supply unpaid, each with the amount that is still missing. A transfer counts as soon as it was seen. */
export const UNPAID_HOLDS = `(
  select p.id, p.user_id, p.wallet, p.held_quantity, p.opened_at, p.amount - seen.amount as missing, seen.amount > 0 as has_transfer
  from purchases p cross join lateral (
    select coalesce(sum(amount), 0) as amount from deposits
    where purchase_id = p.id and sender = p.wallet and block_number is not null and state in ('seen', 'matched', 'review')
  ) seen
  where p.held_quantity > 0 and p.status in ('reserved', 'pending') and p.amount > seen.amount
)`

export interface Unpaid {
  amount: bigint
  nodes: number
}

/** The amount and nodes that an account and its wallet hold unpaid together. Exact while the caller holds the lock of the supply row. */
export async function sumUnpaid(em: EntityManager, { userId, wallet }: { userId: string; wallet: Address }): Promise<Unpaid> {
  const [row] = await sql<{ amount: string; nodes: number }>(
    em,
    `select coalesce(sum(missing), 0) as amount, coalesce(sum(held_quantity), 0)::int as nodes
     from ${UNPAID_HOLDS} h where user_id = $1 or wallet = $2`,
    [userId, wallet],
  )
  return { amount: BigInt(row!.amount), nodes: row!.nodes }
}

/**
 * The error if a new request may hold no supply: the wallet must cover it together with everything that the account and the wallet hold
 * unpaid (money.md 11). Undefined if it may. Where the balance cannot be read, or is that of a wallet that the account has not proven, the
 * number of nodes is limited: anyone can enter the address of an exchange.
 */
export function findUncoveredReason(
  request: { amount: bigint; quantity: number; wallet: Address; isProven: boolean },
  unpaid: Unpaid,
  funds: Funds | undefined,
): DomainError | undefined {
  // The wallet may have been replaced since its balance was read.
  const available = funds?.wallet === request.wallet ? largest(funds.latest, funds.atRead?.balance) : undefined
  const isMany = request.quantity + unpaid.nodes > MAX_UNBACKED_NODES
  if (available === undefined) return isMany ? refuse.balanceUnknown(MAX_UNBACKED_NODES) : undefined
  if (available < request.amount + unpaid.amount)
    return refuse.insufficientUsdt({ needed: request.amount + unpaid.amount, available, held: unpaid.amount })
  return isMany && !request.isProven ? refuse.walletUnproven(MAX_UNBACKED_NODES) : undefined
}

/**
 * The larger of the two balances. USDT that has just arrived is only in the newest block. USDT that has just left to pay a request is still
 * in the last block read, until its transfer is seen.
 */
function largest(...balances: (bigint | undefined)[]): bigint | undefined {
  return balances.reduce((most, balance) => (most === undefined || (balance ?? 0n) > most ? (balance ?? most) : most), undefined)
}

export interface UnpaidHold {
  id: string
  userId: string
  wallet: Address
  missing: bigint
  hasTransfer: boolean
}

/** Tolerates clock differences and block times in whole seconds. */
const CLOCK_TOLERANCE = 10 * SECOND

/**
 * The unpaid holds that existed when a block was mined, oldest first. A younger hold may be covered by USDT that arrived after the block.
 *
 * @param now bounds the time of the block, which one endpoint may have made up.
 */
export async function readHoldsOlderThan(
  em: EntityManager,
  blockTime: Date,
  { now, wallet }: { now: Date; wallet?: Address },
): Promise<UnpaidHold[]> {
  const rows = await sql<Omit<UnpaidHold, 'missing'> & { missing: string }>(
    em,
    `select id, user_id as "userId", wallet, missing, has_transfer as "hasTransfer" from ${UNPAID_HOLDS} h
     where opened_at <= $1 and ($2::text is null or wallet = $2) order by opened_at, id`,
    [new Date(Math.min(blockTime.getTime(), now.getTime()) - CLOCK_TOLERANCE), wallet ?? null],
  )
  return rows.map((row) => ({ ...row, missing: BigInt(row.missing) }))
}

/**
 * The holds of one wallet, given oldest first, that its balance does not cover. A hold with a transfer on the chain comes first and keeps
 * its supply until that transfer is settled.
 */
export function findUncovered(holds: readonly UnpaidHold[], balance: bigint): UnpaidHold[] {
  let left = balance
  return holds
    .toSorted((a, b) => Number(b.hasTransfer) - Number(a.hasTransfer))
    .filter(({ missing, hasTransfer }) => {
      if (!hasTransfer && missing > left) return true
      left -= missing
      return false
    })
}
