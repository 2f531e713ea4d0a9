import type { AuditRecord } from '#api/accounts/auditLog/recordAudit.ts'

/** What a call has found before it changed it, besides that of its first audit record: the payments that are assigned together. */
export interface Others {
  others?: { target: string | undefined; before: unknown }[]
}

/** The rest of what a call changes in the same way; empty if it changes one thing. */
export function othersOf([first, ...rest]: readonly AuditRecord[]): Others {
  const others = rest.filter(({ action, before }) => action === first?.action && before !== undefined)
  return others.length > 0 ? { others: others.map(({ target, before }) => ({ target, before })) } : {}
}

/** Everything that a call has found before it changed it. An approval is refused if any of it has changed. */
export const foundBefore = (records: readonly AuditRecord[]): unknown => {
  const found = records[0]?.before ?? null
  const { others } = othersOf(records)
  return others ? { ...(found as object | null), others } : found
}
