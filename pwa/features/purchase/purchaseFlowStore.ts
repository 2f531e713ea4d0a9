import { create } from 'zustand'
import { advance, idle, type PurchaseEvent, type PurchaseFlow } from './purchaseFlow.ts'

interface PurchaseFlowStore {
  flow: PurchaseFlow
  /** The server was asked to release the reservation and has not answered: until then it is not paid. */
  isReleasing: boolean
}

/** Global, because a payment that the wallet is processing continues while the user visits other pages. */
export const usePurchaseFlowStore = create<PurchaseFlowStore>()(() => ({ flow: idle, isReleasing: false }))

export function dispatch(event: PurchaseEvent): PurchaseFlow {
  const flow = advance(usePurchaseFlowStore.getState().flow, event)
  usePurchaseFlowStore.setState({ flow })
  return flow
}
