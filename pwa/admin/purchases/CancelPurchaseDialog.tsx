import { cancelPurchase } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { namePurchase } from './purchaseWords.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'

/** Asks for a reason before a pending purchase is cancelled. */
export function CancelPurchaseDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const cancel = useRowDecision({
    decide: (body: { reason: string }, options) => api(cancelPurchase, { params: { id: purchase.id }, body }, options),
    done: t('Purchase Cancelled'),
    failed: t('Failed to cancel purchase.'),
    onSettled: onClose,
  })
  return (
    <ReasonDialog
      about={`cancel purchase ${purchase.id}`}
      title={t('Cancel {purchase}?', { purchase: namePurchase(purchase) })}
      description={t(
        "Its nodes go back on sale, and the buyer is notified by email. A later payment will wait for review. This can't be undone.",
      )}
      keepLabel={t('Keep purchase')}
      label={t('Cancel purchase')}
      pendingLabel={t('Cancelling...')}
      isDanger
      isPending={cancel.isPending}
      hint={t('The buyer sees this in the email.')}
      onDecide={(reason) => cancel.mutate({ reason })}
      onClose={onClose}
    />
  )
}
