import type { ComponentProps } from 'react'
import { useHref, useLinkClickHandler, useLocation } from 'react-router-dom'

export type LinkProps = Omit<ComponentProps<'a'>, 'href' | 'target'> & {
  /** A path of this site. */
  to: string
}

/** A link to another page of this site. The router's own link would add its forms and prefetching to the first load. */
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

/** A link that is marked if it leads to the current page. */
export function NavLink({ to, ...rest }: LinkProps) {
  const { pathname } = useLocation()
  return <Link to={to} aria-current={pathname === to ? 'page' : undefined} {...rest} />
}
