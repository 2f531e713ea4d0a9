/** SQL: the day from which the ledger and the distributions have rows of their own; everything before is archived (decision 47). */
export const ARCHIVED_BEFORE = `coalesce((select max(month) + interval '1 month' from archived_months)::date, '-infinity'::date)`
/** SQL: its midnight. */
export const ARCHIVED_UNTIL = `(${ARCHIVED_BEFORE}::timestamp at time zone 'UTC')`

/** SQL: what the archived months sum up to for each account. */
export const CARRIED = `(select account_id, moved, distributed from carried_sums where month = (select max(month) from archived_months))`

export type ArchivedTable = 'ledger_entries' | 'distributions'

/** The columns in the order of the tables, where the amount is the last but one, and the order of the rows. */
const columns: Record<ArchivedTable, { names: string; key: string }> = {
  ledger_entries: { names: 'date, cause, from_account, to_account, amount, recorded_at', key: 'date, cause' },
  distributions: { names: 'day, user_id, id, active_nodes, rate, amount, created_at', key: 'day, user_id' },
}

/** SQL for a cell. Only causes may contain a comma. */
function cellOf(column: string): string {
  if (column === 'cause') return `'"' || replace(cause, '"', '""') || '"'`
  if (column.endsWith('_at')) return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return `${column}::text`
}

/** The first line of the file of a month. */
export const headOf = (table: ArchivedTable): string => `${columns[table].names.replaceAll(', ', ',')}\n`

/** SQL for the lines of a month in the order of the file. */
export function selectLines(table: ArchivedTable, relation: string): string {
  const { names, key } = columns[table]
  const cells = names.split(', ').map(cellOf)
  return `select ${cells.join(` || ',' || `)} as line from ${relation} order by ${key}`
}
