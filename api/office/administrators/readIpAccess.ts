import type { EntityManager } from '@mikro-orm/postgresql'
import type { IpAccess } from '#shared/contract/admin/login.ts'
import type { Config } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'

/**
 * The allowed addresses of the back office, as shown to a request from `clientAddress`. The list may be as long as the configuration
 * says, or as that of the set-up.
 */
export async function readIpAccess(
  em: EntityManager,
  { ADMIN_MAX_IPS }: Pick<Config, 'ADMIN_MAX_IPS'>,
  clientAddress: string,
): Promise<IpAccess> {
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
    maxIPs: Math.max(ADMIN_MAX_IPS, initialIPs.length),
  }
}
