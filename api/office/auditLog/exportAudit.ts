import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Readable } from 'node:stream'
// SQL as text: a cursor, over a typed query.
import { planForFirstRows, streamRows } from '#api/platform/db/sql.ts'
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

const readEntries = (em: EntityManager, filter: AuditFilter) =>
  streamRows<ExportedEntry>(em, async (reader) => {
    await planForFirstRows(reader)
    const { sql: text, parameters } = findEntries(reader, filter)
      .select(['e.at', 'e.actor', 'e.ipAddress as ip', 'e.action', 'e.target'])
      .select([sql<string | null>`e.before::text`.as('before'), sql<string | null>`e.after::text`.as('after')])
      .orderBy('e.at', 'desc')
      .orderBy('e.id', 'desc')
      .compile()
    return { text, parameters }
  })
