import { t, translate } from '#pwa/i18n/t.ts'
import { NavLink } from '#pwa/ui/Link.tsx'
import { useLocation } from 'react-router-dom'
import { links } from './links.ts'

/** `locked`: for people with an account only, and nobody is logged in. */
export type LinkState = 'here' | 'elsewhere' | 'locked'

interface MainLinksProps {
  isLoggedIn: boolean
  classOf: (state: LinkState) => string
  onFollow?: () => void
  /** Says below a locked place why it is, instead of on hover. */
  hasNotes?: boolean
}

/** The places of the product, in the bar on top and in the menu of phones. */
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
