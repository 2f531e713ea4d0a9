import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { createReservation, getReservation, type Reservation, reservation } from '#shared/contract/purchases.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { createBatcher } from '../db/createBatcher.ts'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import type { DomainError } from '../errors.ts'
import { endpointName, hashBody, keyReused } from '../http/answerOnce.ts'
import { nodePriceOf, readSettings, saleStateOf, type Settings } from '../settings/readSettings.ts'
import type { Services } from '../services.ts'
import { otpRequired, stepUpWindows } from '../otp/consumeStepUpMark.ts'
import * as refuse from './errors.ts'

export interface ReservationRequest {
  userId: string
  sessionKey: string
  quantity: number
  idempotencyKey: string | undefined
}

export type ReserveNodes = (request: ReservationRequest) => Promise<Reservation>

const ENDPOINT = endpointName(createReservation)

/**
 * Holds nodes for those who ask, first come, first served.
 *
 * Requests that wait at the same moment share one transaction: the supply row is locked once for all of them, and nobody is answered
 * before it has committed. Each is judged by itself, in the order of arrival; a refused one leaves no trace.
 */
export function createReserveNodes({ orm, clock, config }: Pick<Services, 'orm' | 'clock' | 'config'>): ReserveNodes {
  return createBatcher<ReservationRequest, Reservation>({
    maxSize: 200,
    groupOf: ({ userId }) => userId,
    run: (requests) =>
      reserveTogether(orm, requests, {
        now: clock.now(),
        productNow: clock.productNow(),
        depositAddress: config.DEPOSIT_ADDRESS,
      }),
  })
}

interface Circumstances {
  now: Date
  productNow: Date
  depositAddress: `0x${string}`
}

interface Buyer {
  id: string
  wallet_address: `0x${string}` | null
  otp_enabled: boolean
  paused_until: string | null
}

interface OpenReservation {
  id: string
  user_id: string
  requested_quantity: number
  held_quantity: number
  unit_price: string
  amount: string
  deposit_address: `0x${string}`
  expires_at: string
  paid: boolean
}

interface Granted {
  request: ReservationRequest
  reservation: Reservation
  wallet: `0x${string}`
  markId: string
  replaces: OpenReservation | undefined
}

function reserveTogether(
  orm: MikroORM,
  requests: ReservationRequest[],
  circumstances: Circumstances,
): Promise<(Reservation | DomainError)[]> {
  return orm.em.fork().transactional(async (em) => {
    const userIds = requests.map(({ userId }) => userId)
    // In the order of money.md 15: marks, purchases, supply. Each in the order of ids, so that two batches never wait for each other.
    const marks = await lockMarks(em, requests, circumstances.now)
    await sql(em, `select from purchases where user_id = any($1) and status = 'reserved' order by id for update`, [userIds])
    const [supply] = await sql<{ remaining: number }>(
      em,
      'select total - paid - bonus - reserved as remaining from supply where id = 1 for update',
    )
    // Whoever makes a reservation holds the supply row: from here on nobody else makes one.
    const open = await readOpenReservations(em, userIds)
    const buyers = await readBuyers(em, userIds)
    const answered = await readAnswers(em, requests)
    const settings = await readSettings(em, circumstances.now)

    let remaining = supply?.remaining ?? 0
    const granted: Granted[] = []
    const answers = requests.map((request): Reservation | DomainError => {
      const earlier = answered.get(request.userId)
      if (earlier) return earlier
      const decision = decide(request, {
        ...circumstances,
        settings,
        remaining,
        buyer: buyers.get(request.userId),
        open: open.get(request.userId),
        markId: marks.get(request.userId),
      })
      if (!('reservation' in decision)) return decision
      remaining -= request.quantity - (decision.replaces?.held_quantity ?? 0)
      granted.push(decision)
      return decision.reservation
    })

    if (granted.length > 0) await writeGranted(em, granted, circumstances)
    return answers
  })
}

interface Facts extends Circumstances {
  settings: Settings
  remaining: number
  buyer: Buyer | undefined
  open: OpenReservation | undefined
  markId: string | undefined
}

/** The rules, for one request. */
function decide(request: ReservationRequest, facts: Facts): Granted | Reservation | DomainError {
  const { settings, buyer, open, markId, now } = facts
  const saleState = saleStateOf(settings, facts.productNow)
  if (saleState === 'off') return refuse.salesOff()
  if (saleState === 'not_started') return refuse.salesNotStarted(settings.sales_start_date)
  if (!buyer?.wallet_address) return refuse.walletRequired()
  if (!buyer.otp_enabled) return refuse.otpNotEnabled()

  if (open && open.requested_quantity === request.quantity && new Date(open.expires_at) > now) return presentOpenReservation(open)
  if (open?.paid) return refuse.paymentSeen()
  const pausedUntil = buyer.paused_until ? new Date(buyer.paused_until) : undefined
  if (pausedUntil && pausedUntil > now) return refuse.reservationsPaused(pausedUntil, now)
  const available = facts.remaining + (open?.held_quantity ?? 0)
  if (available < request.quantity) return refuse.insufficientSupply(available)
  if (!markId) return otpRequired()

  const unitPriceUsdt = nodePriceOf(settings)
  return {
    request,
    wallet: buyer.wallet_address,
    markId,
    replaces: open,
    reservation: {
      id: newId(),
      requestedQuantity: request.quantity,
      unitPriceUsdt,
      purchaseAmountUsdt: unitPriceUsdt * BigInt(request.quantity),
      depositAddress: facts.depositAddress,
      expiresAt: new Date(now.getTime() + RESERVATION_TIME),
    },
  }
}

/** The mark each request may use up, at most one, locked. */
async function lockMarks(em: EntityManager, requests: ReservationRequest[], now: Date): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; user_id: string }>(
    em,
    `select m.id, m.user_id from step_up_marks m
     join unnest($1::uuid[], $2::uuid[]) as asked (user_id, session_key) on m.user_id = asked.user_id and m.session_key = asked.session_key
     where m.consumed_at is null and m.granted_at > $3 order by m.id for update of m`,
    [
      requests.map(({ userId }) => userId),
      requests.map(({ sessionKey }) => sessionKey),
      new Date(now.getTime() - stepUpWindows.purchase),
    ],
  )
  return new Map(rows.map((row) => [row.user_id, row.id]))
}

async function readOpenReservations(em: EntityManager, userIds: string[]): Promise<Map<string, OpenReservation>> {
  const rows = await sql<OpenReservation>(
    em,
    `select id, user_id, requested_quantity, held_quantity, unit_price, amount, deposit_address, expires_at,
       exists (select from deposits where purchase_id = purchases.id and block_number is not null) as paid
     from purchases where user_id = any($1) and status = 'reserved'`,
    [userIds],
  )
  return new Map(rows.map((row) => [row.user_id, row]))
}

async function readBuyers(em: EntityManager, userIds: string[]): Promise<Map<string, Buyer>> {
  const rows = await sql<Buyer>(
    em,
    `select id, wallet_address, otp_enabled_at is not null as otp_enabled, reservations_paused_until as paused_until
     from users where id = any($1)`,
    [userIds],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** What was answered before to the same keys. */
async function readAnswers(em: EntityManager, requests: ReservationRequest[]): Promise<Map<string, Reservation | DomainError>> {
  const keyed = requests.filter((request) => request.idempotencyKey !== undefined)
  if (keyed.length === 0) return new Map()
  const rows = await sql<{ account_id: string; body_hash: string; response: unknown }>(
    em,
    `select k.account_id, k.body_hash, k.response from idempotency_keys k
     join unnest($1::uuid[], $2::text[]) as asked (account_id, key) on k.account_id = asked.account_id and k.key = asked.key
     where k.endpoint = $3`,
    [keyed.map(({ userId }) => userId), keyed.map(({ idempotencyKey }) => idempotencyKey), ENDPOINT],
  )
  const byAccount = new Map(rows.map((row) => [row.account_id, row]))
  return new Map(
    keyed.flatMap((request) => {
      const row = byAccount.get(request.userId)
      if (!row) return []
      return [
        [request.userId, row.body_hash === hashOf(request) ? z.decode(reservation, row.response as never) : keyReused()] as const,
      ]
    }),
  )
}

async function writeGranted(
  em: EntityManager,
  granted: Granted[],
  { now, productNow, depositAddress }: Circumstances,
): Promise<void> {
  const replaced = granted.flatMap(({ replaces }) => (replaces ? [replaces] : []))
  if (replaced.length > 0) {
    await sql(
      em,
      `update purchases set status = 'cancelled', held_quantity = 0, closed_at = $2, closed_reason = 'replaced' where id = any($1)`,
      [replaced.map(({ id }) => id), now],
    )
  }
  const taken = granted.reduce((sum, { request, replaces }) => sum + request.quantity - (replaces?.held_quantity ?? 0), 0)
  await sql(em, 'update supply set reserved = reserved + $1 where id = 1', [taken])

  const expiresAt = new Date(now.getTime() + RESERVATION_TIME)
  const rows = granted.map(({ request, reservation: made, wallet, markId }) => ({
    id: made.id,
    user_id: request.userId,
    quantity: request.quantity,
    unit_price: made.unitPriceUsdt.toString(),
    amount: made.purchaseAmountUsdt.toString(),
    wallet,
    mark_id: markId,
    key: request.idempotencyKey ?? null,
    body_hash: hashOf(request),
    response: z.encode(reservation, made),
  }))
  await sql(
    em,
    `with granted as (
       select * from jsonb_to_recordset($1::jsonb) as g (id uuid, user_id uuid, quantity int, unit_price numeric, amount numeric,
         wallet text, mark_id uuid, key text, body_hash text, response jsonb)
     ), used as (
       update step_up_marks set consumed_at = $2 where id in (select mark_id from granted)
     ), answered as (
       insert into idempotency_keys (account_id, endpoint, key, body_hash, response, created_at)
       select user_id, $5, key, body_hash, response, $2 from granted where key is not null
     ), told as (
       insert into change_events (user_id, keys) select user_id, array[$6] from granted union all select null, array[$7]
     )
     insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, wallet, deposit_address, held_quantity,
       created_at, opened_at, expires_at)
     select id, user_id, 'reserved', quantity, unit_price, amount, wallet, $4, quantity, $3, $2, $8 from granted`,
    [JSON.stringify(rows), now, productNow, depositAddress, ENDPOINT, getReservation.path, getNodeStats.path, expiresAt],
  )
}

/** As the idempotency of every other call hashes its body. */
const hashOf = ({ quantity }: ReservationRequest): string => hashBody({ requestedQuantity: quantity })

const presentOpenReservation = (open: OpenReservation): Reservation => ({
  id: open.id,
  requestedQuantity: open.requested_quantity,
  unitPriceUsdt: BigInt(open.unit_price),
  purchaseAmountUsdt: BigInt(open.amount),
  depositAddress: open.deposit_address,
  expiresAt: new Date(open.expires_at),
})
