import type { ServiceStatus } from '#shared/contract/status.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'

/** Without a connection nobody knows the state, whatever the copy says. */
export function useShownVerdict({ verdict }: Pick<ServiceStatus, 'verdict'>): string {
  return useIsOffline() ? 'outdated' : verdict
}
