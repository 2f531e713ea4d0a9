import { type AnchorHTMLAttributes, type RefAttributes, useCallback } from 'react'
import { Redirect, Link as RouterLink, useSearch, useLocation as useWouterLocation } from 'wouter'

export { useSearchParams } from 'wouter'

interface NavigationOptions {
  replace?: boolean
}

/** Goes to a path of this site; resolves once it is there. */
export type Navigate = (to: string, options?: NavigationOptions) => Promise<void>

export interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement>, RefAttributes<HTMLAnchorElement>, NavigationOptions {
  to: string
}

export const Link = ({ to, children, ...rest }: LinkProps) => (
  <RouterLink {...rest} href={to}>
    {children}
  </RouterLink>
)

interface NavLinkProps extends Omit<LinkProps, 'className'> {
  className: string | ((state: { isActive: boolean }) => string)
}

/** Knows whether one is already where it leads to. */
export function NavLink({ to, className, ...rest }: NavLinkProps) {
  const isActive = useLocation().pathname === to
  return (
    <Link
      {...rest}
      to={to}
      aria-current={isActive ? 'page' : undefined}
      className={typeof className === 'function' ? className({ isActive }) : className}
    />
  )
}

/** Leads somewhere else as soon as it is drawn. */
export const Navigate = ({ to, replace = false }: { to: string } & NavigationOptions) => <Redirect to={to} replace={replace} />

export function useNavigate(): Navigate {
  const [, navigate] = useWouterLocation()
  // What stands around the navigation may take its time; wouter hands its answer on without knowing that.
  return useCallback((to, options) => Promise.resolve(navigate(to, options) as Promise<void> | undefined), [navigate])
}

/** Where the page is. `search` begins with a question mark unless it is empty. */
export function useLocation(): { pathname: string; search: string } {
  const [pathname] = useWouterLocation()
  const search = useSearch()
  return { pathname, search: search && `?${search}` }
}
