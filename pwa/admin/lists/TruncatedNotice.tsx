import { t } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

/** Shown above a search or filter that matches more accounts or rows than the server covers. */
export const TruncatedNotice = ({ isOfRows = false }: { isOfRows?: boolean }) => (
  <div className="mb-4">
    <Notice>
      {isOfRows
        ? t('Too many rows match. Only the newest are listed.')
        : t('Too many accounts match. Only the newest are listed. Type more of the address to narrow the search.')}
    </Notice>
  </div>
)
