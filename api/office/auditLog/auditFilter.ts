import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

export interface AuditFilter {
  action?: string | undefined
  /** A part of the actor, case-insensitive. */
  actor?: string | undefined
}

/** The index finds texts by trigrams, which need three consecutive letters or digits. */
const hasTrigram = (text: string): boolean => /[a-z0-9]{3}/i.test(text)

/** The number of entries that are paged, and the number of newest entries scanned where no index helps. */
export const ENTRIES_SEARCHED = 10_000

/** Whether an index finds the entries of a filter. Otherwise only the newest entries are scanned. */
export const isIndexed = ({ actor }: AuditFilter): boolean => !actor || hasTrigram(actor)

/** The entries of a filter, from all entries or from the newest. */
export function findEntries(em: EntityManager, { action, actor, newest }: AuditFilter & { newest?: boolean }) {
  let entries = query(em).selectFrom((eb) => {
    const all = eb.selectFrom('audit_entries').selectAll()
    return (newest ? all.orderBy('at', 'desc').orderBy('id', 'desc').limit(ENTRIES_SEARCHED) : all).as('e')
  })
  if (action) entries = entries.where('e.action', '=', action)
  if (actor) entries = entries.where('e.actor', 'ilike', `%${actor.replace(/[\\%_]/g, String.raw`\$&`)}%`)
  return entries
}
