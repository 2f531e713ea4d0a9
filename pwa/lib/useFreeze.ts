import type { AuthUser } from '#shared/contract/identity.ts'
import { useServerTime } from './serverClock.ts'
import { useAuthUser } from './useAuthUser.ts'

/** The freeze of the account while it lasts: a thaw takes effect by the clock alone. */
export function useFreeze(): AuthUser['frozen'] {
  const frozen = useAuthUser()?.frozen
  const now = useServerTime()
  return frozen?.thawsAt && frozen.thawsAt <= now ? undefined : frozen
}
