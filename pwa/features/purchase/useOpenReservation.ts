import { useQuery } from '@tanstack/react-query'
import type { Reservation } from '#shared/contract/purchases.ts'
import { purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { findOpenReservation } from './findOpenReservation.ts'
import { usePurchaseFlowStore } from './purchaseFlowStore.ts'

/** The user's open reservation, if any. */
export function useOpenReservation(): Reservation | null {
  const enabled = Boolean(useAuthUser())
  const { data: reservation } = useQuery({ ...reservationQuery, enabled })
  const { data: purchases = [] } = useQuery({ ...purchasesQuery, enabled })
  const flow = usePurchaseFlowStore((store) => store.flow)
  return findOpenReservation({ flow, reservation, purchases, now: useServerTime() })
}
