export interface AuditFilter {
  action?: string | undefined
  /** Part of the actor, whatever its case. */
  actor?: string | undefined
}

/** Three letters or digits in a row make a trigram, by which the index finds them. */
const hasTrigram = (text: string): boolean => /[a-z0-9]{3}/i.test(text)

/** How many entries are paged; and where no index helps, how many of the newest are looked through. */
export const ENTRIES_SEARCHED = 10_000

/** SQL that is true of the entries a filter asks for. */
export function auditCondition({ action, actor }: AuditFilter): { condition: string; parameters: unknown[] } {
  const parameters: unknown[] = []
  const parts: string[] = []
  if (action) parts.push(`action = $${parameters.push(action)}`)
  if (actor) parts.push(`actor ilike $${parameters.push(`%${actor.replace(/[\\%_]/g, String.raw`\$&`)}%`)}`)
  return { condition: parts.join(' and ') || 'true', parameters }
}

/** Where those entries are looked for, as SQL in place of the table. */
export const auditSource = ({ actor }: AuditFilter): string =>
  !actor || hasTrigram(actor)
    ? 'audit_entries'
    : `(select * from audit_entries order by at desc, id desc limit ${ENTRIES_SEARCHED}) newest`
