import { t } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

/** Shown above a search that matches more accounts than the server examines. */
export const TruncatedNotice = () => (
  <div className="mb-4">
    <Notice>
      {t('More accounts match than are searched; the newest of them are listed. Type more of the address to narrow it.')}
    </Notice>
  </div>
)
