import { usePaymentReports } from './paymentOutbox.ts'
import { dispatch, usePurchaseFlowStore } from './purchaseFlowStore.ts'

/** Follows a transfer that another tab has sent for this one's order, so that it is not sent twice. @returns a function that ends it. */
export const followOtherTabs = (): (() => void) =>
  usePaymentReports.subscribe(({ reports }, { reports: before }) => {
    const { flow } = usePurchaseFlowStore.getState()
    if (flow.at !== 'payment') return
    const { id: orderId, quantity, amount } = flow.order
    const isKnown = (key: string) => before.some(({ idempotencyKey }) => idempotencyKey === key)
    const sent = reports.find(
      ({ idempotencyKey, requestedQuantity, purchaseAmountUsdt }) =>
        !isKnown(idempotencyKey) && requestedQuantity === quantity && purchaseAmountUsdt === amount,
    )
    if (sent) dispatch({ type: 'sent', orderId, hash: sent.transactionHash, at: sent.sentAt })
  })
