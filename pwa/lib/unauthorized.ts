import { create } from 'zustand'
import { isUnauthorized } from '#shared/isUnauthorized.ts'
import { t } from '#pwa/i18n/t.ts'
import { toast } from '#pwa/ui/toast.ts'
import { storeRequestedView } from './requestedView.ts'
import { isAdminArea } from './isAdminArea.ts'

const REDIRECT_DELAY = 500
const LOGIN_PATH = '/api/login'

interface Redirect {
  /** Takes back the redirect and its toast; null if none is due. */
  cancel: (() => void) | null
  /** How many pieces of work end the session at the moment. */
  endings: number
}

const useRedirect = create<Redirect>()(() => ({ cancel: null, endings: 0 }))

/**
 * Says that the session has ended and redirects to the login, once for any number of failed calls. The query client calls it for
 * every failed query and mutation; a caller with a toast of its own checks `isUnauthorized` first.
 */
export function redirectIfUnauthorized(error: unknown, leave: (path: string) => void = location.assign.bind(location)): void {
  const { cancel, endings } = useRedirect.getState()
  if (!isUnauthorized(error) || cancel !== null || endings > 0) return
  const isAdmin = isAdminArea(location.pathname)
  if (isAdmin) storeRequestedView(location)
  const { dismiss } = toast(
    isAdmin
      ? { title: t('Unauthorized – you are logged out, logging in again'), destructive: true }
      : { title: t('Unauthorized'), description: t('You are logged out. Logging in again...'), destructive: true },
  )
  const timer = setTimeout(() => {
    useRedirect.setState({ cancel: null })
    leave(LOGIN_PATH)
  }, REDIRECT_DELAY)
  useRedirect.setState({
    cancel() {
      useRedirect.setState({ cancel: null })
      clearTimeout(timer)
      dismiss()
    },
  })
}

/** Does what ends the session on purpose. Calls under way are then refused, and nobody is sent to the login for that. */
export async function withoutRedirect<T>(endSession: () => Promise<T>): Promise<T> {
  useRedirect.setState(({ endings }) => ({ endings: endings + 1 }))
  try {
    const result = await endSession()
    useRedirect.getState().cancel?.()
    return result
  } finally {
    useRedirect.setState(({ endings }) => ({ endings: endings - 1 }))
  }
}
