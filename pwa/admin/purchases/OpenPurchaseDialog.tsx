import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { namePurchase } from './purchaseWords.ts'

/** Says why a payment is not to be sent back yet, before anybody sends it. */
export function OpenPurchaseDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Do not send this payment back yet')}
      description={t(
        'It is for an open purchase: {purchase}. If the rest of the money arrives, the purchase is completed with this payment. Reject or cancel the purchase first.',
        { purchase: namePurchase(purchase) },
      )}
      actions={<Button onClick={onClose}>{t('Close')}</Button>}
    />
  )
}
