import { useQuery } from '@tanstack/react-query'
import { mayCall } from '#shared/adminRoles.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { adminUserQuery } from './queries.ts'

/** Tells which calls the administrator's role may make, to show only what works. The server decides again. */
export function useMayCall(): (endpoint: Pick<Endpoint, 'roles'>) => boolean {
  const { data: admin } = useQuery(adminUserQuery)
  return (endpoint) => mayCall(admin?.role, { roles: endpoint.roles ?? [] })
}
