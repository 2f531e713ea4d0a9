import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { hasOwnFigures } from '#pwa/lib/ownFigures.ts'
import { authUserQuery, configQuery, nodeSettingsQuery, nodeStatsQuery, systemSettingsQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { readFigures } from '#pwa/lib/visitorFigures.ts'
import { sendReports } from '#pwa/features/purchase/paymentOutbox.ts'
import { usePaymentOutbox } from '#pwa/features/purchase/usePaymentOutbox.ts'
import { ServerNoticeHost } from '#pwa/features/serverNotice/ServerNoticeHost.tsx'
import { WithdrawalHost } from '#pwa/features/withdrawal/WithdrawalHost.tsx'
import { Toasts } from '#pwa/ui/Toasts.tsx'
// Whatever breaks later can be told of without a connection.
import './ErrorPage.tsx'
import { followLiveUpdates } from './liveUpdates.ts'
import { UpdateNotice } from './Notices.tsx'
import { OwnFiguresKeeper } from './OwnFiguresKeeper.tsx'
import { useConnectionAndSession } from './useConnectionAndSession.ts'
import { usePaymentTask } from './usePaymentTask.ts'

/** What looks after the page once it stands: the stream of changes, payments that the server must be told of, what appears over it. */
export function Attendance() {
  useFreshFigures()
  useLiveUpdates()
  useConnectionAndSession()
  usePaymentTask()
  const user = useAuthUser()
  return (
    <>
      {user && <OwnFiguresKeeper key={user.id} />}
      <WithdrawalHost />
      <ServerNoticeHost />
      <UpdateNotice />
      <Toasts />
    </>
  )
}

/** The stream belongs to a session: it is opened anew when somebody logs in or out. */
function useLiveUpdates() {
  const queryClient = useQueryClient()
  const { data: user, isPending } = useQuery(authUserQuery)
  const userId = user?.id
  usePaymentOutbox(userId)
  useEffect(() => {
    if (isPending) return
    // Whatever was sent while the stream was down is told as soon as it is open again.
    return followLiveUpdates(queryClient, () => userId && void sendReports({ queryClient, userId }))
  }, [queryClient, isPending, userId])
}

/** What the server has drawn may have lain in the browser since: the way back through the history leads past the server. */
function useFreshFigures() {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!readFigures()) return
    for (const { queryKey } of [nodeStatsQuery, nodeSettingsQuery, systemSettingsQuery, configQuery])
      void queryClient.invalidateQueries({ queryKey })
    // Of whoever was logged in here until the session was over: the 401 makes this device forget it.
    const isVisitors = queryClient.getQueryData(authUserQuery.queryKey) === null
    if (isVisitors && hasOwnFigures()) void queryClient.invalidateQueries({ queryKey: authUserQuery.queryKey })
  }, [queryClient])
}
