import { useQuery } from '@tanstack/react-query'
import type { Reservation } from '#shared/contract/purchases.ts'
import { purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { findOpenReservation } from './findOpenReservation.ts'
import { usePaymentReports } from './paymentOutbox.ts'
import { usePurchaseFlowStore } from './purchaseFlowStore.ts'

/** The user's open reservation, if any. */
export function useOpenReservation(): Reservation | null {
  const user = useAuthUser()
  const enabled = Boolean(user)
  const { data: reservation } = useQuery({ ...reservationQuery, enabled })
  const { data: purchases } = useQuery({ ...purchasesQuery, enabled })
  const flow = usePurchaseFlowStore((store) => store.flow)
  const reports = usePaymentReports((outbox) => outbox.reports).filter(({ userId }) => userId === user?.id)
  return findOpenReservation({ flow, reservation, purchases, reports, now: useServerTime() })
}
