import type { AuditRecord } from '#api/accounts/auditLog/recordAudit.ts'

/** The previous states in a call's further audit records: those of the payments that are assigned together with the first. */
export interface Others {
  others?: { target: string | undefined; before: unknown }[]
}

/** Previous states that the call changes like the first one; empty if it changes one thing. */
export function othersOf([first, ...rest]: readonly AuditRecord[]): Others {
  const others = rest.filter(({ action, before }) => action === first?.action && before !== undefined)
  return others.length > 0 ? { others: others.map(({ target, before }) => ({ target, before })) } : {}
}

/** The previous state of everything that a call changes. An approval is refused if any of it differs from when the call was proposed. */
export const foundBefore = (records: readonly AuditRecord[]): unknown => {
  const found = records[0]?.before ?? null
  const { others } = othersOf(records)
  return others ? { ...(found as object | null), others } : found
}
