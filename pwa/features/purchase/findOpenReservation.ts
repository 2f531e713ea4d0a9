import type { Purchase, Reservation } from '#shared/contract/purchases.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import type { PurchaseFlow } from './purchaseFlow.ts'

interface ReservationSources {
  flow: PurchaseFlow
  reservation: Reservation | null | undefined
  purchases: readonly Purchase[]
  now: Date
}

/** The open reservation, if any: not expired, not being paid by the wallet, not paid. */
export function findOpenReservation({ flow, reservation, purchases, now }: ReservationSources): Reservation | null {
  if (!reservation || timeLeftUntil(reservation.expiresAt, now) === 0) return null
  if (flow.at === 'payment' && flow.running) return null
  const isPaid = (flow.at === 'tracking' && flow.order.id === reservation.id) || purchases.some(({ id }) => id === reservation.id)
  return isPaid ? null : reservation
}

/** Milliseconds until the reservation expires. The page's clock lags by up to a second, so this is capped at 30:00. */
export const timeLeftUntil = (expiresAt: Date, now: Date): number =>
  Math.min(RESERVATION_TIME, Math.max(0, expiresAt.getTime() - now.getTime()))
