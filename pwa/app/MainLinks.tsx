import { translate } from '#pwa/i18n/t.ts'
import { NavLink } from 'react-router-dom'
import { links } from './links.ts'

/** `locked`: for people with an account only, and nobody is logged in. */
export type LinkState = 'here' | 'elsewhere' | 'locked'

interface MainLinksProps {
  isLoggedIn: boolean
  classOf: (state: LinkState) => string
  onFollow?: () => void
}

/** The places of the product, in the bar on top and in the menu of phones. */
export const MainLinks = ({ isLoggedIn, classOf, onFollow }: MainLinksProps) =>
  links.map(({ to, label, isPersonal }) =>
    isPersonal && !isLoggedIn ? (
      <span key={to} aria-disabled className={classOf('locked')}>
        {translate(label)}
      </span>
    ) : (
      <NavLink key={to} to={to} onClick={onFollow} className={({ isActive }) => classOf(isActive ? 'here' : 'elsewhere')}>
        {translate(label)}
      </NavLink>
    ),
  )
