import { useQuery } from '@tanstack/react-query'
import { pushQuery } from './pushQuery.ts'

/** Confirms the subscription of this browser at each start. */
export function PushSync(account: { userId: string; pushKey: string }) {
  useQuery(pushQuery(account))
  return null
}
