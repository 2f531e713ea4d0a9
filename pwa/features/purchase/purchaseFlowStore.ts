import { create } from 'zustand'
import { advance, idle, type PurchaseEvent, type PurchaseFlow } from './purchaseFlow.ts'

/** Outside the page: a payment that the wallet has been asked for goes on while the person looks at another page. */
export const usePurchaseFlowStore = create<{ flow: PurchaseFlow }>()(() => ({ flow: idle }))

export function dispatch(event: PurchaseEvent): PurchaseFlow {
  const flow = advance(usePurchaseFlowStore.getState().flow, event)
  usePurchaseFlowStore.setState({ flow })
  return flow
}
