import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { sellerLinks } from '#pwa/features/about/sellerLinks.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'

const linkClass = 'inline-flex min-h-11 items-center underline-offset-2 hover:text-ink-12 hover:underline'

export function Footer() {
  const { data: config } = useQuery(configQuery)
  return (
    <footer className="border-t border-ink-5">
      <div className="page flex flex-wrap items-center gap-x-6 py-3 text-12 text-ink-9">
        <span className="mr-auto">
          {config?.seller?.name && (
            <>
              <span translate="no">{config.seller.name}</span>
              {' · '}
            </>
          )}
          {t('All times are UTC.')}
        </span>
        <Link to="/about" className={linkClass}>
          {t('About')}
        </Link>
        {sellerLinks(config?.seller ?? {}).map(({ url, label }) => (
          <a key={label} href={url} target="_blank" rel="noreferrer" className={linkClass}>
            {label}
          </a>
        ))}
        {config && (
          <a href={`mailto:${config.supportEmail}`} className={linkClass}>
            {config.supportEmail}
          </a>
        )}
      </div>
    </footer>
  )
}
