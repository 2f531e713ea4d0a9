import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect } from 'react'
import { hasSnapshot } from '#pwa/lib/offlineSnapshot.ts'
import { authUserQuery, configQuery, nodeSettingsQuery, nodeStatsQuery, systemSettingsQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { readFigures } from '#pwa/lib/visitorFigures.ts'
import { sendReports } from '#pwa/features/purchase/paymentOutbox.ts'
import { usePaymentOutbox } from '#pwa/features/purchase/usePaymentOutbox.ts'
import { ServerNoticeHost } from '#pwa/features/serverNotice/ServerNoticeHost.tsx'
import { WithdrawalHost } from '#pwa/features/withdrawal/WithdrawalHost.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { Toasts } from '#pwa/ui/Toasts.tsx'
// Loaded now, so that the error page also works offline.
import './ErrorPage.tsx'
import { followLiveUpdates } from './liveUpdates.ts'
import { UpdateNotice } from './Notices.tsx'
import { RegisterWatch } from '#pwa/features/register/RegisterWatch.tsx'
import { OfflineSnapshotKeeper } from './OfflineSnapshotKeeper.tsx'
import { useAppBadge } from './useAppBadge.ts'
import { useConnectionAndSession } from './useConnectionAndSession.ts'
import { useOpenedNotification } from './useOpenedNotification.ts'
import { usePaymentTask } from './usePaymentTask.ts'

const PushSync = lazyPart(async () => (await import('#pwa/features/push/PushSync.tsx')).PushSync)

/** Everything that runs once the page is hydrated: the event stream, unsent payment reports, notices and dialogs. */
export function BackgroundTasks() {
  useRefetchServerData()
  useLiveUpdates()
  useConnectionAndSession()
  usePaymentTask()
  useAppBadge()
  useOpenedNotification()
  const user = useAuthUser()
  const { data: config } = useQuery(configQuery)
  return (
    <>
      {user && <OfflineSnapshotKeeper key={user.id} />}
      {user && config?.register && <RegisterWatch user={user} />}
      {user && config?.pushKey && mayNotify() && (
        <Suspense>
          <PushSync userId={user.id} pushKey={config.pushKey} />
        </Suspense>
      )}
      <WithdrawalHost />
      <ServerNoticeHost />
      <UpdateNotice />
      <Toasts />
    </>
  )
}

/** Whether this browser was allowed to show notifications. */
const mayNotify = (): boolean => 'Notification' in window && Notification.permission === 'granted'

/** The event stream belongs to a session, so it is reopened on login and logout. */
function useLiveUpdates() {
  const queryClient = useQueryClient()
  const { data: user, isPending } = useQuery(authUserQuery)
  const userId = user?.id
  usePaymentOutbox(userId)
  useEffect(() => {
    if (isPending) return
    // Reports that could not be sent while the stream was down are sent when it opens.
    return followLiveUpdates(queryClient, () => userId && void sendReports({ queryClient, userId }))
  }, [queryClient, isPending, userId])
}

/** Refetches server-rendered data: after a Back navigation it may come from the browser's cache. */
function useRefetchServerData() {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!readFigures()) return
    for (const { queryKey } of [nodeStatsQuery, nodeSettingsQuery, systemSettingsQuery, configQuery])
      void queryClient.invalidateQueries({ queryKey })
    // A snapshot of the user whose session ended here: the 401 deletes it.
    const isVisitors = queryClient.getQueryData(authUserQuery.queryKey) === null
    if (isVisitors && hasSnapshot()) void queryClient.invalidateQueries({ queryKey: authUserQuery.queryKey })
  }, [queryClient])
}
