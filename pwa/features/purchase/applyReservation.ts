import type { QueryClient } from '@tanstack/react-query'
import type { Reservation } from '#shared/contract/purchases.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { reservationQuery } from '#pwa/lib/queries.ts'

/** Takes what the server has just answered as the open reservation. */
export function applyReservation(queryClient: QueryClient, reservation: Reservation | null): void {
  applyAnswer(queryClient, reservationQuery, reservation)
  void queryClient.invalidateQueries({ queryKey: reservationQuery.queryKey })
}
