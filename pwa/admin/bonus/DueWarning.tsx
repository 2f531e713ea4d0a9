import { MAX_BONUS_ALONE } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'
import type { ApprovalNeed } from '../proposals/ApprovalNote.tsx'

interface Grant {
  quantity: number | undefined
  /** What is due to the account; undefined if that is not known. */
  due: number | undefined
}

/** Whether a grant of bonus nodes needs a reason: it is more than is due, or more than one person may grant, or what is due is not known. */
export const needsReason = ({ quantity = 0, due }: Grant): boolean =>
  due === undefined || quantity > Math.min(due, MAX_BONUS_ALONE)

/** Whether another administrator has to approve it. Only the server can tell while what is due is not known. */
export const needsApproval = (grant: Grant): ApprovalNeed =>
  !needsReason(grant) ? 'no' : grant.due === undefined && (grant.quantity ?? 0) <= MAX_BONUS_ALONE ? 'maybe' : 'yes'

/** Warns that a grant is more than is due. */
export const DueWarning = ({ quantity, due }: Grant) =>
  quantity !== undefined && due !== undefined && quantity > due ? (
    <Notice tone="warning">{t('This is more than is due. It counts as received.')}</Notice>
  ) : null
