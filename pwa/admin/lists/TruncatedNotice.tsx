import { t } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

/** Shown above a search that matches more accounts than the server examines. */
export const TruncatedNotice = () => (
  <div className="mb-4">
    <Notice>{t('Too many accounts match. Only the newest are listed. Type more of the address to narrow the search.')}</Notice>
  </div>
)
