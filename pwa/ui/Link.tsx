import type { ComponentProps } from 'react'
import { useHref, useLinkClickHandler, useLocation } from 'react-router-dom'

export type LinkProps = Omit<ComponentProps<'a'>, 'href' | 'target'> & {
  /** A path of this site. */
  to: string
}

/** Leads to another page of this site. The router's own one brings its forms and prefetching into the first visit. */
export function Link({ to, onClick, children, ...rest }: LinkProps) {
  const follow = useLinkClickHandler<HTMLAnchorElement>(to)
  return (
    <a
      {...rest}
      href={useHref(to)}
      onClick={(event) => {
        onClick?.(event)
        if (!event.defaultPrevented) follow(event)
      }}
    >
      {children}
    </a>
  )
}

/** One that says so where it leads to the page one is at. */
export function NavLink({ to, ...rest }: LinkProps) {
  const { pathname } = useLocation()
  return <Link to={to} aria-current={pathname === to ? 'page' : undefined} {...rest} />
}
