import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'

export function Footer() {
  const { data: config } = useQuery(configQuery)
  return (
    <footer className="border-t border-ink-5">
      <div className="page flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-3 text-12 text-ink-9">
        <span className="py-2">{t('All times are UTC.')}</span>
        {config && (
          <a
            href={`mailto:${config.supportEmail}`}
            className="inline-flex min-h-11 items-center underline-offset-2 hover:text-ink-12 hover:underline"
          >
            {config.supportEmail}
          </a>
        )}
      </div>
    </footer>
  )
}
