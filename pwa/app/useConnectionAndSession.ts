import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followConnection } from '#pwa/lib/connection.ts'
import { followOtherSessions } from '#pwa/lib/offlineSnapshot.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { clearUserData } from './clearUserData.ts'

/** Refetches everything when the connection is back, and follows logins and logouts in other tabs. */
export function useConnectionAndSession(): void {
  const queryClient = useQueryClient()
  useEffect(() => followConnection(() => void queryClient.invalidateQueries()), [queryClient])
  useEffect(
    () =>
      followOtherSessions(({ userId }) => {
        if (queryClient.getQueryData(authUserQuery.queryKey)) clearUserData(queryClient)
        if (userId !== null) void queryClient.invalidateQueries({ queryKey: authUserQuery.queryKey })
      }),
    [queryClient],
  )
}
