import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Readable } from 'node:stream'
// SQL as text: a cursor, over a typed query.
import { sql as sqlText } from '#api/platform/db/sql.ts'
import { type SpreadsheetColumn, writeSpreadsheet } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { type AuditFilter, findEntries } from './auditFilter.ts'

interface ExportedEntry {
  at: string
  actor: string
  ip: string | null
  action: string
  target: string | null
  before: string | null
  after: string | null
}

const columns: readonly SpreadsheetColumn<ExportedEntry>[] = [
  { header: 'Time (UTC)', width: 20, format: 'instant', cell: ({ at }) => new Date(at) },
  { header: 'Who', width: 32, cell: ({ actor }) => actor },
  { header: 'IP address', width: 18, cell: ({ ip }) => ip },
  { header: 'Action', width: 26, cell: ({ action }) => action },
  { header: 'Target', width: 38, cell: ({ target }) => target },
  { header: 'Before', width: 50, cell: ({ before }) => before },
  { header: 'After', width: 50, cell: ({ after }) => after },
]

/** Every entry of the filter as a spreadsheet, newest first. */
export const exportAudit = (em: EntityManager, filter: AuditFilter): Readable =>
  writeSpreadsheet({ name: 'Audit log', columns, rows: readEntries(em, filter) })

/** Rows per fetch. */
const BATCH = 500

/** Streams one snapshot. It holds a connection until it has been read to its end or is closed. */
async function* readEntries(em: EntityManager, filter: AuditFilter): AsyncGenerator<ExportedEntry> {
  const reader = em.fork()
  await reader.begin({ isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
  try {
    const { sql: entries, parameters } = findEntries(reader, filter)
      .select(['e.at', 'e.actor', 'e.ipAddress as ip', 'e.action', 'e.target'])
      .select([sql<string | null>`e.before::text`.as('before'), sql<string | null>`e.after::text`.as('after')])
      .orderBy('e.at', 'desc')
      .orderBy('e.id', 'desc')
      .compile()
    // Makes the planner optimize for the first rows instead of all of them.
    await sqlText(reader, 'set local cursor_tuple_fraction = 0.0001')
    await sqlText(reader, `declare entries no scroll cursor for ${entries}`, parameters)
    for (;;) {
      const rows = await sqlText<ExportedEntry>(reader, `fetch ${BATCH} from entries`)
      yield* rows
      if (rows.length < BATCH) return
    }
  } finally {
    await reader.rollback()
  }
}
