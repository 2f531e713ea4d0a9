import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { createReservation, getReservation, reservation } from '#shared/contract/purchases.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { stepUpWindows } from '#api/accounts/otp/consumeStepUpMark.ts'
// SQL as text: this is the busiest path. One statement locks, one reads and one writes for all waiting requests.
import { sql } from '#api/platform/db/sql.ts'
import { endpointName } from '#api/platform/http/withIdempotency.ts'
import { countUnpaid, heldTime } from './countUnpaid.ts'
import { type BatchContext, type Buyer, type Granted, hashOf, type ReservationRequest } from './decideReservation.ts'
import { KNOWN_BALANCE_LIFETIME } from './knownBalances.ts'
import { UNPAID_HOLDS } from './unpaidHolds.ts'

const ENDPOINT = endpointName(createReservation)

interface LockedRows {
  remaining: number
  /** The step-up mark that each account may consume; one at most. */
  marks: Map<string, string>
}

/**
 * Locks the rows that the requests may change, in the order of money.md 15: marks, purchases, supply. Each is locked by id, so that two
 * batches cannot deadlock.
 */
export async function lockAll(em: EntityManager, requests: readonly ReservationRequest[], now: Date): Promise<LockedRows> {
  const rows = await sql<{ remaining: number; mark_id: string | null; user_id: string }>(
    em,
    // Each list reads the whole list before it, so that it is locked after it.
    `with marks as materialized (
       select m.id, m.user_id from step_up_marks m
       join unnest($1::uuid[], $2::uuid[]) as asked (user_id, session_key) on m.user_id = asked.user_id and m.session_key = asked.session_key
       where m.consumed_at is null and m.granted_at > $3 order by m.id for update of m
     ), open as materialized (
       select from purchases where user_id = any($1) and status = 'reserved' and (select count(*) from marks) >= 0 order by id for update
     ), supply as materialized (
       select total - paid - bonus - reserved as remaining from supply where id = 1 and (select count(*) from open) >= 0 for update
     )
     select remaining, marks.id as mark_id, marks.user_id from supply left join marks on true`,
    [
      requests.map(({ userId }) => userId),
      requests.map(({ sessionKey }) => sessionKey),
      new Date(now.getTime() - stepUpWindows.purchase),
    ],
  )
  const marks = rows.flatMap(({ mark_id, user_id }) => (mark_id ? [[user_id, mark_id] as const] : []))
  return { remaining: rows[0]?.remaining ?? 0, marks: new Map(marks) }
}

/**
 * Reads the accounts and the supply in one snapshot. With the locks held, it locks the open reservations too, and the accounts whose time
 * is counted if they are replaced. It waits for none of these: other requests lock the account before its marks (money.md 15).
 */
export async function readBuyers(
  em: EntityManager,
  requests: readonly ReservationRequest[],
  { now, isLocked = false }: { now: Date; isLocked?: boolean },
): Promise<Map<string, Buyer>> {
  const rows = await sql<Buyer & { id: string }>(
    em,
    `select u.id, u.wallet_address, exists (
         select from wallet_registrations r where r.user_id = u.id and r.removed_at is null and r.proven_at is not null
       ) as is_proven, u.otp_enabled_at is not null as otp_enabled, u.reservations_paused_until as paused_until,
       u.unpaid_hold_seconds, ${isLocked ? 'c.id is not null' : 'true'} as is_countable,
       unpaid.amount as unpaid_amount, unpaid.nodes as unpaid_nodes,
       case when p.id is not null then jsonb_build_object('id', p.id, 'requested_quantity', p.requested_quantity,
         'held_quantity', p.held_quantity, 'opened_at', p.opened_at, 'unit_price', p.unit_price::text, 'amount', p.amount::text,
         'wallet', p.wallet, 'deposit_address', p.deposit_address, 'expires_at', p.expires_at,
         'paid', exists (select from deposits where purchase_id = p.id and block_number is not null)) end as open,
       b.balance::text as known_balance, (
         select m.id from step_up_marks m where m.user_id = asked.user_id and m.session_key = asked.session_key
           and m.consumed_at is null and m.granted_at > $6 limit 1
       ) as mark_id, (select total - paid - bonus - reserved from supply where id = 1) as remaining, clock_timestamp()::timestamptz(3) as read_at,
       case when k.key is not null then jsonb_build_object('body_hash', k.body_hash, 'response', k.response) end as answered
     from unnest($1::uuid[], $2::text[], $5::uuid[]) as asked (user_id, key, session_key)
     join users u on u.id = asked.user_id
     left join lateral (select * from purchases where user_id = asked.user_id and status = 'reserved' limit 1 ${isLocked ? 'for update' : ''}) p on true
     ${isLocked ? 'left join lateral (select id from users where id = p.user_id for no key update skip locked) c on true' : ''}
     left join wallet_balances b on b.wallet = u.wallet_address and b.read_at > $4
     cross join lateral (
       -- With "or" instead of "union", every account would read all open purchases.
       select coalesce(sum(h.missing), 0)::text as amount, coalesce(sum(h.held_quantity), 0)::int as nodes from (
         select * from ${UNPAID_HOLDS} of_user where of_user.user_id = u.id
         union select * from ${UNPAID_HOLDS} of_wallet where of_wallet.wallet = u.wallet_address
       ) h where h.id is distinct from p.id
     ) unpaid
     left join lateral (
       select * from idempotency_keys where account_id = asked.user_id and endpoint = $3 and key = asked.key limit 1
     ) k on true`,
    [
      requests.map(({ userId }) => userId),
      requests.map(({ idempotencyKey }) => idempotencyKey ?? null),
      ENDPOINT,
      new Date(now.getTime() - KNOWN_BALANCE_LIFETIME),
      requests.map(({ sessionKey }) => sessionKey),
      new Date(now.getTime() - stepUpWindows.purchase),
    ],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export async function cancelReplaced(em: EntityManager, granted: readonly Granted[], { now }: BatchContext): Promise<void> {
  const replaced = granted.flatMap(({ replaces }) => (replaces ? [replaces] : []))
  if (replaced.length === 0) return
  await sql(
    em,
    `update purchases set status = 'cancelled', held_quantity = 0, closed_at = $2, closed_reason = 'replaced'
     where id = any($1) and status = 'reserved'`,
    [replaced.map(({ id }) => id), now],
  )
  const ended = granted.flatMap(({ request: { userId }, replaces }) =>
    replaces ? [{ userId, heldFor: heldTime(new Date(replaces.opened_at), now) }] : [],
  )
  await countUnpaid(em, ended, now)
}

/** Writes what was granted, with the locks of `lockAll` held. */
export async function writeReservations(em: EntityManager, granted: readonly Granted[], context: BatchContext): Promise<void> {
  await sql(em, `select write_reservations(${RESERVATION_PARAMETERS})`, reservationParameters(granted, context))
}

/**
 * Reserves in one statement, which holds the lock of the supply for as long as PostgreSQL alone needs.
 *
 * @returns the nodes that are left; null, and nothing is reserved, if too few are left or one of the accounts has changed.
 */
export async function reserveAtOnce(
  em: EntityManager,
  granted: readonly Granted[],
  context: BatchContext,
): Promise<number | null> {
  const text = `select reserve_at_once(${RESERVATION_PARAMETERS}) as "left"`
  const [row] = await sql<{ left: number | null }>(em, text, reservationParameters(granted, context))
  return row!.left
}

/** Those of the functions `write_reservations` and `reserve_at_once`. */
const RESERVATION_PARAMETERS = '$1::jsonb, $2::int, $3::timestamptz, $4::timestamptz, $5::timestamptz, $6, $7, $8, $9'

function reservationParameters(granted: readonly Granted[], { now, productNow, depositAddress }: BatchContext): unknown[] {
  const rows = granted.map(({ request, reservation: made, markId }) => ({
    id: made.id,
    user_id: request.userId,
    quantity: request.quantity,
    unit_price: made.unitPriceUsdt.toString(),
    amount: made.purchaseAmountUsdt.toString(),
    wallet: made.walletAddress,
    mark_id: markId,
    key: request.idempotencyKey ?? null,
    body_hash: hashOf(request),
    response: z.encode(reservation, made),
  }))
  const taken = granted.reduce((sum, { request, replaces }) => sum + request.quantity - (replaces?.held_quantity ?? 0), 0)
  const expiresAt = new Date(now.getTime() + RESERVATION_TIME)
  return [
    JSON.stringify(rows),
    taken,
    now,
    productNow,
    expiresAt,
    depositAddress,
    ENDPOINT,
    getReservation.path,
    getNodeStats.path,
  ]
}
