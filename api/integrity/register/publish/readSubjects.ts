import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/** The facts that entries of these kinds publish. For kinds with few entries. */
export async function readSubjects(em: EntityManager, kinds: readonly string[]): Promise<Set<string>> {
  const rows = await query(em).selectFrom('register_entries').select('subject').where('kind', 'in', kinds).execute()
  return new Set(rows.flatMap(({ subject }) => subject ?? []))
}
