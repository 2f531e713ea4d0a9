import { useQuery } from '@tanstack/react-query'
import { mayCall } from '#shared/adminRoles.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { adminStatusQuery } from './queries.ts'

/**
 * Tells which calls the administrator's role may make, to show only what works; all of them while the role is not known, which the panel
 * loads before anything else. The server decides in any case.
 */
export function useMayCall(): (endpoint: Pick<Endpoint, 'roles'>) => boolean {
  const { data: status } = useQuery({ ...adminStatusQuery, enabled: false })
  return (endpoint) => !status?.role || mayCall(status.role, { roles: endpoint.roles ?? [] })
}
