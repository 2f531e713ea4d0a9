import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useLocation } from '#pwa/lib/router.tsx'
import { authUserQuery, configQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { sendReports } from '#pwa/features/purchase/paymentOutbox.ts'
import { PaymentHost } from '#pwa/features/purchase/PaymentHost.tsx'
import { usePaymentOutbox } from '#pwa/features/purchase/usePaymentOutbox.ts'
import { ServerNoticeHost } from '#pwa/features/serverNotice/ServerNoticeHost.tsx'
import { WithdrawalHost } from '#pwa/features/withdrawal/WithdrawalHost.tsx'
import { Toasts } from '#pwa/ui/Toasts.tsx'
import { Footer } from './Footer.tsx'
import { useInstallation } from './installation.ts'
import { followLiveUpdates } from './liveUpdates.ts'
import { OfflineNotice, UpdateNotice } from './Notices.tsx'
import { OwnFiguresKeeper } from './OwnFiguresKeeper.tsx'
import { SetupGate } from './SetupGate.tsx'
import { TopBar } from './TopBar.tsx'
import { useConnectionAndSession } from './useConnectionAndSession.ts'
import { usePaymentTask } from './usePaymentTask.ts'

const InstallCard = lazy(async () => ({ default: (await import('./InstallCard.tsx')).InstallCard }))
const DemoBar = lazy(async () => ({ default: (await import('#pwa/features/demo/DemoBar.tsx')).DemoBar }))

/** What stands around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const { data: config } = useQuery(configQuery)
  useLiveUpdates()
  useConnectionAndSession()
  usePaymentTask()
  const user = useAuthUser()
  const { pathname } = useLocation()
  const mayInstall = useInstallation(({ way, isDismissed }) => way !== null && !isDismissed)
  return (
    <SetupGate>
      <a
        href="#content"
        className="absolute -top-20 left-4 z-50 rounded-input bg-ink-12 px-4 py-3 text-14 text-ink-1 focus:top-2"
      >
        {t('Skip to the content')}
      </a>
      <div className="flex min-h-dvh flex-col">
        {config?.demo && (
          <Suspense fallback={null}>
            <DemoBar />
          </Suspense>
        )}
        <TopBar />
        <OfflineNotice />
        <PaymentHost />
        <div className="flex-1">{children}</div>
        {mayInstall && pathname === '/' && (
          <Suspense fallback={null}>
            <InstallCard />
          </Suspense>
        )}
        <Footer />
      </div>
      {user && <OwnFiguresKeeper key={user.id} />}
      <WithdrawalHost />
      <ServerNoticeHost />
      <UpdateNotice />
      <Toasts />
    </SetupGate>
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
