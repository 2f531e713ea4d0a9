import { t } from '#pwa/i18n/t.ts'
import { readFromTab, storeInTab } from '#pwa/lib/deviceStorage.ts'
import { toast } from '#pwa/ui/toast.ts'

const STORAGE_KEY = 'withdrawal_unanswered'

/** Notes in this tab that a withdrawal is sent, so that a page which loads before its outcome is known refers to the history. */
export const noteSent = (): void => storeInTab(STORAGE_KEY, 'true')

/** The outcome is known, or its owner has closed the dialog and was referred to the history. */
export const forgetSent = (): void => storeInTab(STORAGE_KEY, null)

/** Refers to the history before another withdrawal is signed: it would be paid as well. */
export function showCheckHistory(): void {
  toast({
    title: t('Check Your History'),
    description: t("We didn't get a response to your withdrawal request. If it was received, it appears in your history."),
  })
}

/** Called once after a page load. */
export function recallSent(): void {
  if (readFromTab(STORAGE_KEY) !== null) showCheckHistory()
  forgetSent()
}
