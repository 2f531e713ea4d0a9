import { ContinueOffer } from './ContinueOffer.tsx'
import { PaymentDialog } from './PaymentDialog.tsx'
import { PaymentStrip } from './PaymentStrip.tsx'
import { usePurchaseFlow } from './usePurchaseFlow.ts'

/** The account's payments: the strip and the dialog that it opens. */
export function Payments({ hasStrip, hasOffer }: { hasStrip: boolean; hasOffer: boolean }) {
  const controls = usePurchaseFlow()
  return (
    <>
      {hasStrip && <PaymentStrip controls={controls} />}
      {hasOffer && <ContinueOffer />}
      <PaymentDialog controls={controls} />
    </>
  )
}
