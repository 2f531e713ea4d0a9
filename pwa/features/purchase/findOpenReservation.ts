import type { Purchase, Reservation } from '#shared/contract/purchases.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { isReported, type PaymentReport } from './paymentOutbox.ts'
import type { PurchaseFlow } from './purchaseFlow.ts'

interface ReservationSources {
  flow: PurchaseFlow
  reservation: Reservation | null | undefined
  /** Undefined until they are known: then the reservation may be paid. */
  purchases: readonly Purchase[] | undefined
  /** This account's reports, which the server may not have yet. */
  reports: readonly PaymentReport[]
  now: Date
}

/** The open reservation, if any: not expired, not being paid by the wallet, not paid. */
export function findOpenReservation({ flow, reservation, purchases, reports, now }: ReservationSources): Reservation | null {
  if (!reservation || !purchases || timeLeftUntil(reservation.expiresAt, now) === 0) return null
  if (flow.at === 'payment' && flow.running) return null
  const isPaid = (flow.at === 'tracking' && flow.order.id === reservation.id) || purchases.some(({ id }) => id === reservation.id)
  const unknown = reports.filter((report) => !isReported(report, purchases))
  return isPaid || unknown.some((report) => pays(report, reservation)) ? null : reservation
}

/** Whether the server was not told yet about a transfer that fits the reservation. Its time says nothing: the clocks of a phone and the server differ. */
const pays = ({ refusal, requestedQuantity, purchaseAmountUsdt }: PaymentReport, reservation: Reservation): boolean =>
  refusal === undefined &&
  requestedQuantity === reservation.requestedQuantity &&
  purchaseAmountUsdt === reservation.purchaseAmountUsdt

/** Milliseconds until the reservation expires. The page's clock lags by up to a second, so this is capped at 30:00. */
export const timeLeftUntil = (expiresAt: Date, now: Date): number =>
  Math.min(RESERVATION_TIME, Math.max(0, expiresAt.getTime() - now.getTime()))
