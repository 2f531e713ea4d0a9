import type { QueryClient } from '@tanstack/react-query'
import type { Reservation } from '#shared/contract/purchases.ts'
import { reservationQuery } from '#pwa/lib/queries.ts'

type Known = Reservation | null | undefined

/** Takes what the server has just answered as the open reservation. */
export async function applyReservation(queryClient: QueryClient, update: (known: Known) => Reservation | null): Promise<void> {
  const { queryKey } = reservationQuery
  // A request that is under way has older data.
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, update)
  void queryClient.invalidateQueries({ queryKey })
}
