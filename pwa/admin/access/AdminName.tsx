import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { adminStatusQuery, adminUserQuery } from '../queries.ts'

/** The administrator's name, in the navigation of the back office. */
export function AdminName() {
  const { data: status } = useQuery(adminStatusQuery)
  const isLoggedIn = status?.isLoggedIn ?? false
  const { data: admin } = useQuery({ ...adminUserQuery, enabled: isLoggedIn })
  if (!isLoggedIn || !admin) return null
  return (
    <p className="flex max-w-40 min-w-0 text-14 text-ink-10 desk:max-w-64" title={admin.username}>
      <span className="sr-only">{t('Logged in as')} </span>
      <span className="truncate">{admin.username}</span>
    </p>
  )
}
