import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { presentStatus } from '#pwa/lib/presentStatus.ts'
import { Badge } from '#pwa/ui/Badge.tsx'
import { WaitsForApproval } from '../proposals/WaitsForApproval.tsx'
import { resultWords } from './purchaseWords.ts'

/** The state of a purchase, and its result. One confirmed despite an objection is named as that, never as normal. */
export function PurchaseStatuses({
  purchase: { id, paymentStatus, purchaseResult, confirmedAgainstChain },
}: {
  purchase: Pick<Purchase, 'id' | 'paymentStatus' | 'purchaseResult' | 'confirmedAgainstChain'>
}) {
  const { tone, word } = presentStatus(paymentStatus)
  return (
    <span className="inline-flex flex-wrap gap-1 whitespace-nowrap max-md:justify-end md:flex-col md:items-start">
      <span title={`paymentStatus: ${paymentStatus}`}>
        <Badge tone={tone}>{word}</Badge>
      </span>
      <span title={`purchaseResult: ${purchaseResult}`}>
        {confirmedAgainstChain ? (
          <Badge tone="waiting">{t('Despite an objection')}</Badge>
        ) : (
          <Badge tone={purchaseResult === 'normal' ? 'neutral' : 'waiting'}>{wordOf(resultWords, purchaseResult)}</Badge>
        )}
      </span>
      <WaitsForApproval of={[`purchase:${id}`]} />
    </span>
  )
}
