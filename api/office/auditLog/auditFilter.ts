import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

export interface AuditFilter {
  action?: string | undefined
  /** Part of the actor, whatever its case. */
  actor?: string | undefined
}

/** Three letters or digits in a row make a trigram, by which the index finds them. */
const hasTrigram = (text: string): boolean => /[a-z0-9]{3}/i.test(text)

/** How many entries are paged; and where no index helps, how many of the newest are looked through. */
export const ENTRIES_SEARCHED = 10_000

/** Whether an index finds the entries a filter asks for. If not, they are looked for among the newest. */
export const isIndexed = ({ actor }: AuditFilter): boolean => !actor || hasTrigram(actor)

/** The entries a filter asks for, of all or of the newest. */
export function findEntries(em: EntityManager, { action, actor, newest }: AuditFilter & { newest?: boolean }) {
  let entries = query(em).selectFrom((eb) => {
    const all = eb.selectFrom('audit_entries').selectAll()
    return (newest ? all.orderBy('at', 'desc').orderBy('id', 'desc').limit(ENTRIES_SEARCHED) : all).as('e')
  })
  if (action) entries = entries.where('e.action', '=', action)
  if (actor) entries = entries.where('e.actor', 'ilike', `%${actor.replace(/[\\%_]/g, String.raw`\$&`)}%`)
  return entries
}
