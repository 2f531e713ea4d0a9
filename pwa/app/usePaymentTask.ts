import { useTask } from '#pwa/lib/busy.ts'
import { usePurchaseFlowStore } from '#pwa/features/purchase/purchaseFlowStore.ts'

/** A payment that the wallet has been asked for goes on without its dialog, and no reload may cut it off. */
export const usePaymentTask = (): void =>
  useTask(usePurchaseFlowStore(({ flow }) => flow.at === 'reserving' || (flow.at === 'payment' && flow.running !== null)))
