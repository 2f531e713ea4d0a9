import { Suspense, useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { isAdminArea } from '#pwa/lib/isAdminArea.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { restoreQuantity } from './chosenQuantity.ts'
import { usePaymentReports } from './paymentOutbox.ts'
import { idle } from './purchaseFlow.ts'
import { usePurchaseFlowStore } from './purchaseFlowStore.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

const Payments = lazyPart(async () => (await import('./Payments.tsx')).Payments)

/** Shows payments in progress on every page. Loads only for users with an account or an unsent report in this browser. */
export function PaymentHost() {
  const user = useAuthUser()
  const { pathname } = useLocation()
  const hasReports = usePaymentReports((outbox) => outbox.reports.length > 0)
  useEffect(() => {
    // It belongs to the user who logged out. Sent transfers stay stored for them.
    if (user === null) usePurchaseFlowStore.setState({ flow: idle })
  }, [user])
  useEffect(restoreQuantity, [])
  if (user === null || (!user && !hasReports) || isAdminArea(pathname) || pathname === '/setup') return null
  return (
    <Suspense fallback={null}>
      {/* The purchase page lists the payments itself, with all actions. */}
      <Payments hasStrip={pathname !== '/purchase'} hasOffer={pathname === '/' && Boolean(user)} />
    </Suspense>
  )
}
