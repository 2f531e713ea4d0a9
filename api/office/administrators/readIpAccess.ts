import type { EntityManager } from '@mikro-orm/postgresql'
import type { IpAccess } from '#shared/contract/admin/access.ts'
import { query } from '#api/entities/tables.ts'

/** The maximum length of the list, unless more addresses were entered at set-up. */
const MIN_LIMIT = 2

/** The allowed addresses of the back office, as shown to a request from `clientAddress`. */
export async function readIpAccess(em: EntityManager, clientAddress: string): Promise<IpAccess> {
  const row = await query(em)
    .selectFrom('installation')
    .select(['adminAllowedIps as allowed', 'adminInitialIps as initial'])
    .where('id', '=', 1)
    .executeTakeFirst()
  const initialIPs = row?.initial ?? []
  return {
    isRestricted: row?.allowed != null,
    currentIP: clientAddress,
    allowedIPs: row?.allowed ?? [],
    initialIPs,
    maxIPs: Math.max(MIN_LIMIT, initialIPs.length),
  }
}
