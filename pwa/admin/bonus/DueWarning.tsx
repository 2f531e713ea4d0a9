import { MAX_BONUS_ALONE } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'
import type { ApprovalNeed } from '../proposals/ApprovalNote.tsx'

interface Grant {
  quantity: number | undefined
  /** What is due to the account; undefined if that is not known. */
  due: number | undefined
}

/** Whether a grant of bonus nodes needs a second person from the second owner on, and a reason in any case. */
export const needsReason = ({ quantity = 0, due }: Grant): boolean =>
  due === undefined || quantity > Math.min(due, MAX_BONUS_ALONE)

/** The same of the second person. What is due is not known of every account. */
export const needsApproval = (grant: Grant): ApprovalNeed =>
  !needsReason(grant) ? 'no' : grant.due === undefined && (grant.quantity ?? 0) <= MAX_BONUS_ALONE ? 'maybe' : 'yes'

/** Says of a grant that it is more than is due. */
export const DueWarning = ({ quantity, due }: Grant) =>
  quantity !== undefined && due !== undefined && quantity > due ? (
    <Notice tone="warning">{t('This is more than is due. It counts as received.')}</Notice>
  ) : null
