import { queryOptions } from '@tanstack/react-query'
import { syncPush } from './subscription.ts'

/** Whether this browser shows push messages for the account. Reading it confirms the subscription at the server. */
export const pushQuery = (account: { userId: string; pushKey: string }) =>
  queryOptions({
    queryKey: ['/api/push/subscription', account.userId],
    queryFn: () => syncPush(account),
    staleTime: Infinity,
    retry: false,
  })
