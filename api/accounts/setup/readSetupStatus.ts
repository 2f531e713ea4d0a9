import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

export async function readSetupStatus(em: EntityManager): Promise<{ setupRequired: boolean }> {
  const [installation] = await sql<{ done: boolean }>(em, 'select set_up_at is not null as done from installation where id = 1')
  return { setupRequired: !installation?.done }
}
