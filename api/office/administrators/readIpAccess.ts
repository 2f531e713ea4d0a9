import type { EntityManager } from '@mikro-orm/postgresql'
import type { IpAccess } from '#shared/contract/admin/access.ts'
import { query } from '#api/entities/tables.ts'

/** How many addresses a list may have, if fewer were given at set-up. */
const MIN_LIMIT = 2

/** From where the back office may be used, as it is shown to somebody who comes from `clientAddress`. */
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
