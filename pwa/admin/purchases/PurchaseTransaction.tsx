import { shorten } from '#shared/address.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { PaymentLink } from './PaymentLink.tsx'

/**
 * The transaction of a purchase with a link to the explorer. One that an administrator named despite an objection has no link until its
 * payment is seen: it may not exist.
 */
export function PurchaseTransaction({
  purchase: { transactionHash, confirmedAgainstChain, payment },
}: {
  purchase: Pick<Purchase, 'transactionHash' | 'confirmedAgainstChain' | 'payment'>
}) {
  if (!transactionHash) return <span className="text-ink-9">–</span>
  if (!confirmedAgainstChain || payment) return <PaymentLink kind="tx" value={transactionHash} />
  return (
    <span title={transactionHash} className="block">
      <span translate="no" className="exact font-mono text-12 whitespace-nowrap text-ink-10">
        {shorten(transactionHash)}
      </span>
      <span className="block text-12 text-ink-9">{t('No matching payment')}</span>
    </span>
  )
}
