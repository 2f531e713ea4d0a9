import { z } from 'zod'
import { type Reservation, reservation } from '#shared/contract/purchases.ts'
import { SECOND } from '#shared/dates.ts'
import { costOf, RESERVATION_TIME } from '#shared/sale.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import type { DomainError } from '#api/platform/errors.ts'
import { hashBody, keyReused } from '#api/platform/http/withIdempotency.ts'
import { otpRequired } from '#api/accounts/otp/consumeStepUpMark.ts'
import { nodePriceOf, saleStateOf, type Settings } from '../settings/readSettings.ts'
import { heldTime, isTooLong, PAUSE_TIME } from './countUnpaid.ts'
import * as refuse from './errors.ts'
import { CLOSING_TIME } from './expirePurchases.ts'
import type { Funds } from './readFunds.ts'
import { findUncoveredReason } from './unpaidHolds.ts'

export interface ReservationRequest {
  userId: string
  sessionKey: string
  quantity: number
  idempotencyKey: string | undefined
  /** Called if the answer is that of an earlier request with the same key. */
  onReplay?: () => void
  /** The number of the request among those that arrived at this process. */
  arrival: number
}

export interface BatchContext {
  now: Date
  productNow: Date
  depositAddress: `0x${string}`
}

/** The requesting account. */
export interface Buyer {
  wallet_address: `0x${string}` | null
  /** Whether the account has proven it by a signature. */
  is_proven: boolean
  otp_enabled: boolean
  paused_until: string | null
  /** For how long the account has held nodes unpaid, without the open reservation. */
  unpaid_hold_seconds: number
  /** Whether the account is locked for counting the time of the open reservation. */
  is_countable: boolean
  open: OpenReservation | null
  /** Unpaid amount that the account and its wallet hold, without the open reservation; a decimal string. */
  unpaid_amount: string
  unpaid_nodes: number
  /** The balance of the wallet as read before the request, a decimal string; null if none is young enough. */
  known_balance: string | null
  /** A step-up mark that the session may consume. */
  mark_id: string | null
  /** The nodes left when the account was read. */
  remaining: number
  /** The database's time then. */
  read_at: string
  /** The stored response to the same idempotency key. */
  answered: { body_hash: string; response: z.input<typeof reservation> } | null
}

interface OpenReservation {
  id: string
  requested_quantity: number
  held_quantity: number
  opened_at: string
  /** Decimal strings: the amounts have more digits than a JSON number can represent. */
  unit_price: string
  amount: string
  wallet: `0x${string}`
  deposit_address: `0x${string}`
  expires_at: string
  paid: boolean
}

export interface Granted {
  request: ReservationRequest
  reservation: Reservation
  markId: string
  replaces: OpenReservation | null
}

interface DecisionContext extends BatchContext {
  settings: Settings
  remaining: number
  buyer: Buyer | undefined
  markId: string | undefined
  /** The balance of the registered wallet. */
  funds: Funds | undefined
}

/** Applies the rules to one request. */
export function decideReservation(request: ReservationRequest, context: DecisionContext): Granted | Reservation | DomainError {
  const { settings, buyer, markId, now } = context
  if (buyer?.answered) {
    const { body_hash, response } = buyer.answered
    if (body_hash !== hashOf(request)) return keyReused()
    request.onReplay?.()
    return z.decode(reservation, response)
  }
  const saleState = saleStateOf(settings, context.productNow)
  if (saleState === 'off') return refuse.salesOff()
  if (saleState === 'not_started') return refuse.salesNotStarted(settings.sales_start_date)
  if (!buyer?.wallet_address) return refuse.walletRequired()
  if (!buyer.otp_enabled) return refuse.otpNotEnabled()

  const { open, wallet_address: wallet } = buyer
  if (open && open.requested_quantity === request.quantity && new Date(open.expires_at) > now) return presentOpenReservation(open)
  if (open?.paid) return refuse.paymentSeen()
  const pausedUntil = buyer.paused_until ? new Date(buyer.paused_until) : undefined
  if (pausedUntil && pausedUntil > now) return refuse.reservationsPaused(pausedUntil, now)
  // Replaced again and again, one reservation would hold nodes without end.
  if (open && isTooLong(buyer.unpaid_hold_seconds + heldTime(new Date(open.opened_at), now) / SECOND))
    return refuse.reservationsPaused(
      new Date(Math.max(new Date(open.expires_at).getTime() + CLOSING_TIME, now.getTime()) + PAUSE_TIME),
      now,
    )
  if (open && !buyer.is_countable) return refuse.accountChanging()
  const available = context.remaining + (open?.held_quantity ?? 0)
  if (available < request.quantity) return refuse.insufficientSupply(available)
  const unitPriceUsdt = nodePriceOf(settings)
  const purchaseAmountUsdt = costOf(unitPriceUsdt, request.quantity)
  const uncovered = findUncoveredReason(
    { amount: purchaseAmountUsdt, quantity: request.quantity, wallet, isProven: buyer.is_proven },
    { amount: BigInt(buyer.unpaid_amount), nodes: buyer.unpaid_nodes },
    context.funds,
  )
  if (uncovered) return uncovered
  if (!markId) return otpRequired()

  return {
    request,
    markId,
    replaces: open,
    reservation: {
      id: newShownId(),
      requestedQuantity: request.quantity,
      unitPriceUsdt,
      purchaseAmountUsdt,
      walletAddress: wallet,
      depositAddress: context.depositAddress,
      expiresAt: new Date(now.getTime() + RESERVATION_TIME),
    },
  }
}

/** Hashes the body in the same way as the idempotency middleware. */
export const hashOf = ({ quantity }: ReservationRequest): string => hashBody({ requestedQuantity: quantity })

const presentOpenReservation = (open: OpenReservation): Reservation => ({
  id: open.id,
  requestedQuantity: open.requested_quantity,
  unitPriceUsdt: BigInt(open.unit_price),
  purchaseAmountUsdt: BigInt(open.amount),
  walletAddress: open.wallet,
  depositAddress: open.deposit_address,
  expiresAt: new Date(open.expires_at),
})
