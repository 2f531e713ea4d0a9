import { t } from '#pwa/i18n/t.ts'
import { Page } from '#pwa/ui/Page.tsx'

/** In place of a page that was never loaded, while the server cannot be reached. It is loaded once that is possible. */
export const OfflinePage = () => (
  <Page title={t('No connection')} isNarrow>
    <p className="text-ink-10">{t('This page opens as soon as the server can be reached again.')}</p>
  </Page>
)
