import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

export async function readSetupStatus(em: EntityManager): Promise<{ setupRequired: boolean }> {
  const installation = await query(em).selectFrom('installation').select('setUpAt').where('id', '=', 1).executeTakeFirst()
  return { setupRequired: !installation?.setUpAt }
}
