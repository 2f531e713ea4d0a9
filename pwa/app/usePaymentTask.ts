import { useTask } from '#pwa/lib/busy.ts'
import { usePurchaseFlowStore } from '#pwa/features/purchase/purchaseFlowStore.ts'

/** Marks a payment that the wallet is processing as busy, also after its dialog is closed, so that nothing reloads the page. */
export const usePaymentTask = (): void =>
  useTask(usePurchaseFlowStore(({ flow }) => flow.at === 'reserving' || (flow.at === 'payment' && flow.running !== null)))
