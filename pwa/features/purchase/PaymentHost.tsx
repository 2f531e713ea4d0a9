import { lazy, Suspense, useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { isAdminArea } from '#pwa/lib/isAdminArea.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { restoreQuantity } from './chosenQuantity.ts'
import { usePaymentReports } from './paymentOutbox.ts'
import { idle } from './purchaseFlow.ts'
import { usePurchaseFlowStore } from './purchaseFlowStore.ts'

const Payments = lazy(async () => ({ default: (await import('./Payments.tsx')).Payments }))

/** Where a payment under way is seen from every page. Fetched once there is an account, or a payment that this browser has kept. */
export function PaymentHost() {
  const user = useAuthUser()
  const { pathname } = useLocation()
  const hasReports = usePaymentReports((outbox) => outbox.reports.length > 0)
  useEffect(() => {
    // It was the payment of whoever has logged out. What was sent is kept for them.
    if (user === null) usePurchaseFlowStore.setState({ flow: idle })
  }, [user])
  useEffect(restoreQuantity, [])
  if (user === null || (!user && !hasReports) || isAdminArea(pathname) || pathname === '/setup') return null
  return (
    <Suspense fallback={null}>
      {/* The page of purchases lists them itself, with all that can be done about each. */}
      <Payments hasStrip={pathname !== '/purchase'} hasOffer={pathname === '/' && Boolean(user)} />
    </Suspense>
  )
}
