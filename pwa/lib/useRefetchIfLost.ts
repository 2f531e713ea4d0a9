import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { mayBeDone } from '#shared/contract/client.ts'

/** After a lost answer what the call changes may have changed. */
export function useRefetchIfLost(...queries: { queryKey: QueryKey }[]) {
  const queryClient = useQueryClient()
  return (error: Error) => {
    if (!mayBeDone(error)) return
    for (const { queryKey } of queries) void queryClient.invalidateQueries({ queryKey })
  }
}
