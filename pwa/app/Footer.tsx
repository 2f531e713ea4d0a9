import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router-dom'
import { sellerLinks } from '#pwa/features/about/sellerLinks.ts'
import { t } from '#pwa/i18n/t.ts'
import { isAdminArea } from '#pwa/lib/isAdminArea.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { NavLink } from '#pwa/ui/Link.tsx'

/** At least 44 by 44 pixels for touch; a negative margin cancels the padding, so that texts align. */
const linkClass = '-mx-2.5 inline-flex min-h-11 min-w-11 items-center px-2.5 underline-offset-2 hover:text-ink-12 hover:underline'

export function Footer() {
  const { pathname } = useLocation()
  const { data: config } = useQuery(configQuery)
  const { seller = {}, supportEmail } = config ?? {}
  return (
    <footer className="border-t border-ink-5">
      <div className="page flex flex-wrap items-center gap-x-6 py-3 text-12 text-ink-9">
        <p className="mr-auto py-2">
          {seller.name && (
            <>
              <span translate="no" className="text-ink-11">
                {seller.name}
              </span>
              {' · '}
            </>
          )}
          {/* The back office has a list in Seoul's time, and a choice of zones. */}
          {t(isAdminArea(pathname) ? 'Every time names its zone.' : 'All times are UTC.')}
        </p>
        <nav aria-label={t('About this site')} className="flex flex-wrap items-center gap-x-6">
          <NavLink to="/about" className={linkClass}>
            {t('About')}
          </NavLink>
          <NavLink to="/status" className={linkClass}>
            {t('Service status')}
          </NavLink>
          {config?.register && (
            <NavLink to="/register" className={linkClass}>
              {t('Public register')}
            </NavLink>
          )}
          {sellerLinks(seller).map(({ url, label }) => (
            <a key={label} href={url} target="_blank" rel="noreferrer" className={linkClass}>
              {label}
            </a>
          ))}
          {supportEmail && (
            <a href={`mailto:${supportEmail}`} translate="no" className={linkClass}>
              {supportEmail}
            </a>
          )}
        </nav>
      </div>
    </footer>
  )
}
