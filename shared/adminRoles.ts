/**
 * What administrators are there for. The contract names the roles of each call (contract/admin). A role is no step of a ladder: who may reset
 * a password may not approve what is then withdrawn, and the other way round. Owners may do everything.
 */
export const adminRoles = ['viewer', 'support', 'finance', 'owner'] as const
export type AdminRole = (typeof adminRoles)[number]

/** Whether a role may call an endpoint of the back office. */
export const mayCall = (role: AdminRole | undefined, { roles = [] }: { roles?: readonly AdminRole[] }): boolean =>
  role !== undefined && (role === 'owner' || roles.includes(role))
