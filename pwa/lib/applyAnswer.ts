import type { InferDataFromTag, QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Takes what the server has just answered to a change, or sent, as the data of a query. A request that is under way has older data and is
 * canceled: a wallet just registered would be taken for one that was removed elsewhere, and disconnected.
 */
export function applyAnswer<Key extends QueryKey>(
  queryClient: QueryClient,
  { queryKey }: { queryKey: Key },
  answer: NoInfer<InferDataFromTag<unknown, Key>>,
): void {
  void queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, answer)
}
