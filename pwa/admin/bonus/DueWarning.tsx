import { MAX_BONUS_ALONE } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

interface Grant {
  quantity: number | undefined
  /** What is due to the account; undefined if that is not known. */
  due: number | undefined
}

/** Whether a grant of bonus nodes needs a second person from the second owner on, and a reason in any case. */
export const needsReason = ({ quantity = 0, due }: Grant): boolean =>
  due === undefined || quantity > Math.min(due, MAX_BONUS_ALONE)

/** Says of a grant that it is more than is due. */
export const DueWarning = ({ quantity, due }: Grant) =>
  quantity !== undefined && due !== undefined && quantity > due ? (
    <Notice tone="warning">{t('This is more than is due. It counts as received.')}</Notice>
  ) : null
