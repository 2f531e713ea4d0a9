import { create } from 'zustand'
import { advance, idle, type PurchaseEvent, type PurchaseFlow } from './purchaseFlow.ts'

/** Global, because a payment that the wallet is processing continues while the user visits other pages. */
export const usePurchaseFlowStore = create<{ flow: PurchaseFlow }>()(() => ({ flow: idle }))

export function dispatch(event: PurchaseEvent): PurchaseFlow {
  const flow = advance(usePurchaseFlowStore.getState().flow, event)
  usePurchaseFlowStore.setState({ flow })
  return flow
}
