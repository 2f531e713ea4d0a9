import { useQuery } from '@tanstack/react-query'
import { plural, t } from '#pwa/i18n/t.ts'
import { unreadQuery } from '#pwa/lib/queries.ts'
import { Bell } from '#pwa/ui/icons.ts'
import { NavLink } from '#pwa/ui/Link.tsx'
import { barButton } from './barButton.ts'

/** Leads to the inbox, with the number of unread messages. */
export function InboxLink() {
  const { data } = useQuery(unreadQuery)
  const unread = data?.unread ?? 0
  return (
    <NavLink
      to="/inbox"
      aria-label={unread === 0 ? t('Inbox') : plural(unread, 'Inbox, 1 unread message', 'Inbox, {count} unread messages')}
      className={`${barButton} relative shrink-0 max-md:text-ink-11`}
    >
      <Bell size={20} aria-hidden />
      {unread > 0 && (
        <span
          aria-hidden
          className="figures absolute top-1 right-0.5 min-w-5 rounded-full bg-accent px-1 text-center text-12 leading-5 font-strong text-on-accent"
        >
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </NavLink>
  )
}
