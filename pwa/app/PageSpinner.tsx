import { t } from '#pwa/i18n/t.ts'
import { Spinner } from '#pwa/ui/Spinner.tsx'

/** Shown until the first content. */
export function PageSpinner() {
  return (
    <div role="status" className="grid min-h-[60dvh] place-items-center text-ink-9">
      <Spinner size={28} />
      <span className="sr-only">{t('Loading')}</span>
    </div>
  )
}
