import { t, translate } from '#pwa/i18n/t.ts'
import { NavLink } from '#pwa/ui/Link.tsx'
import { useLocation } from 'react-router-dom'
import { links } from './links.ts'

/** `locked`: needs an account, and the user is not logged in. */
export type LinkState = 'here' | 'elsewhere' | 'locked'

interface MainLinksProps {
  isLoggedIn: boolean
  classOf: (state: LinkState) => string
  onFollow?: () => void
  /** Shows the reason below a locked link instead of on hover. */
  hasNotes?: boolean
}

/** The product's pages, for the top bar and the phone menu. */
export function MainLinks({ isLoggedIn, classOf, onFollow, hasNotes = false }: MainLinksProps) {
  const { pathname } = useLocation()
  return links.map(({ to, label, isPersonal }) =>
    isPersonal && !isLoggedIn ? (
      <span key={to} aria-disabled title={t('Log in to see it')} className={classOf('locked')}>
        {hasNotes ? (
          <span>
            {translate(label)}
            <span className="block text-12 font-normal"> {t('Log in to see it')}</span>
          </span>
        ) : (
          <>
            {translate(label)}
            <span className="sr-only"> {t('Log in to see it')}</span>
          </>
        )}
      </span>
    ) : (
      <NavLink key={to} to={to} onClick={onFollow} className={classOf(pathname === to ? 'here' : 'elsewhere')}>
        {translate(label)}
      </NavLink>
    ),
  )
}
