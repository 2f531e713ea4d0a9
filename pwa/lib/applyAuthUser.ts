import type { QueryClient } from '@tanstack/react-query'
import type { AuthUser } from '#shared/contract/identity.ts'
import { authUserQuery } from './queries.ts'

/**
 * Takes what the server has just answered as the account. A request that began earlier would undo it: a wallet just registered would be taken
 * for one that was removed elsewhere, and disconnected.
 */
export function applyAuthUser(queryClient: QueryClient, user: AuthUser): void {
  void queryClient.cancelQueries({ queryKey: authUserQuery.queryKey })
  queryClient.setQueryData(authUserQuery.queryKey, user)
}
