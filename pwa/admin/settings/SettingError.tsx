import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

/** Replaces the form of a setting that could not be loaded. */
export function SettingError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Notice
      tone="error"
      title={t("Couldn't load this setting")}
      action={
        <Button variant="secondary" onClick={onRetry}>
          {t('Try again')}
        </Button>
      }
    >
      {errorText(error, t('The server did not respond. The setting has not changed.'))}
    </Notice>
  )
}
