import { useEffect } from 'react'
import { ContinueOffer } from './ContinueOffer.tsx'
import { followOtherTabs } from './followOtherTabs.ts'
import { PaymentDialog } from './PaymentDialog.tsx'
import { PaymentStrip } from './PaymentStrip.tsx'
import { usePurchaseFlow } from './usePurchaseFlow.ts'

/** The account's payments: the strip and the dialog that it opens. */
export function Payments({ hasStrip, hasOffer }: { hasStrip: boolean; hasOffer: boolean }) {
  const controls = usePurchaseFlow()
  useEffect(followOtherTabs, [])
  return (
    <>
      {hasStrip && <PaymentStrip controls={controls} />}
      {hasOffer && <ContinueOffer />}
      <PaymentDialog controls={controls} />
    </>
  )
}
