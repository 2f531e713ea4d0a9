import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../tables/tables.ts'

/** Whether the back office answers a normalized address. The list is read each time, so that a change applies at once in every process. */
export async function isAdminAddress(em: EntityManager, address: string): Promise<boolean> {
  const installation = await query(em)
    .selectFrom('installation')
    .select('adminAllowedIps as allowed')
    .where('id', '=', 1)
    .executeTakeFirst()
  return !installation?.allowed || installation.allowed.includes(address)
}
