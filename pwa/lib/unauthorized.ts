import { create } from 'zustand'
import { isUnauthorized } from '#shared/isUnauthorized.ts'
import { t } from '#pwa/i18n/t.ts'
import { toast } from '#pwa/ui/toast.ts'
import { storeRequestedView } from './requestedView.ts'
import { isAdminArea } from './isAdminArea.ts'

const REDIRECT_DELAY = 500
const LOGIN_PATH = '/api/login'

const useRedirect = create<{ isPending: boolean }>()(() => ({ isPending: false }))

/**
 * Says that the session has ended and redirects to the login, once for any number of failed calls. The query client calls it for
 * every failed query and mutation; a caller with a toast of its own checks `isUnauthorized` first.
 */
export function redirectIfUnauthorized(error: unknown, leave: (path: string) => void = location.assign.bind(location)): void {
  if (!isUnauthorized(error) || useRedirect.getState().isPending) return
  useRedirect.setState({ isPending: true })
  const isAdmin = isAdminArea(location.pathname)
  if (isAdmin) storeRequestedView(location)
  toast(
    isAdmin
      ? { title: t('Unauthorized – you are logged out, logging in again'), destructive: true }
      : { title: t('Unauthorized'), description: t('You are logged out. Logging in again...'), destructive: true },
  )
  setTimeout(() => {
    useRedirect.setState({ isPending: false })
    leave(LOGIN_PATH)
  }, REDIRECT_DELAY)
}
