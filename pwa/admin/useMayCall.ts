import { useQuery } from '@tanstack/react-query'
import { mayCall } from '#shared/adminRoles.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { adminUserQuery } from './queries.ts'

/**
 * Tells which calls the administrator's role may make, to show only what works; all of them while the role is not known, which the panel
 * loads before anything else. The server decides in any case.
 */
export function useMayCall(): (endpoint: Pick<Endpoint, 'roles'>) => boolean {
  const { data: admin } = useQuery({ ...adminUserQuery, enabled: false })
  return (endpoint) => !admin || mayCall(admin.role, { roles: endpoint.roles ?? [] })
}
