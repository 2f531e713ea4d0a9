import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { purchasesQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { ContinueOffer } from './ContinueOffer.tsx'
import { followOtherTabs } from './followOtherTabs.ts'
import { PaymentDialog } from './PaymentDialog.tsx'
import { PaymentStrip } from './PaymentStrip.tsx'
import type { PurchaseFlow } from './purchaseFlow.ts'
import { dispatch } from './purchaseFlowStore.ts'
import { usePurchaseFlow } from './usePurchaseFlow.ts'

/** The account's payments: the strip and the dialog that it opens. */
export function Payments({ hasStrip, hasOffer }: { hasStrip: boolean; hasOffer: boolean }) {
  const controls = usePurchaseFlow()
  useEffect(followOtherTabs, [])
  useFollowServer(controls.flow)
  return (
    <>
      {hasStrip && <PaymentStrip controls={controls} />}
      {hasOffer && <ContinueOffer />}
      <PaymentDialog controls={controls} />
    </>
  )
}

/** Ends the payment of an order that was paid elsewhere: the wallet may still show the request, which would pay it again. */
function useFollowServer(flow: PurchaseFlow): void {
  const user = useAuthUser()
  const { data: purchases } = useQuery({ ...purchasesQuery, enabled: Boolean(user) })
  const orderId = flow.at === 'payment' ? flow.order.id : undefined
  const listed = orderId && purchases?.find(({ id }) => id === orderId)
  useEffect(() => {
    if (listed) dispatch({ type: 'listed', purchase: listed })
  }, [listed])
}
