import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { streamQuery } from '#api/platform/db/streamQuery.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import type { Rows } from '../exports/Rows.ts'
import type { Table } from '../exports/routeExport.ts'
import { type AuditFilter, findEntries, readTargets } from './auditFilter.ts'

const readEntries = (em: EntityManager, filter: Parameters<typeof findEntries>[1]) =>
  findEntries(em, filter)
    .select(['e.at as at', 'e.actor as actor', 'e.ipAddress as ip', 'e.action as action', 'e.target as target'])
    .select([sql<string | null>`e.before::text`.as('before'), sql<string | null>`e.after::text`.as('after')])
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc')

type ExportedEntry = Rows<typeof readEntries>

const columns: readonly SpreadsheetColumn<ExportedEntry>[] = [
  { header: 'Time (UTC)', width: 20, format: 'instant', cell: ({ at }) => at },
  { header: 'Who', width: 32, cell: ({ actor }) => actor },
  { header: 'IP address', width: 18, cell: ({ ip }) => ip },
  { header: 'Action', width: 26, cell: ({ action }) => action },
  { header: 'Target', width: 38, cell: ({ target }) => target },
  { header: 'Before', width: 50, cell: ({ before }) => before },
  { header: 'After', width: 50, cell: ({ after }) => after },
]

/** Every entry of the filter, newest first. */
export const exportAudit = (em: EntityManager, filter: AuditFilter): Table<ExportedEntry> => ({
  name: 'Audit log',
  columns,
  rows: streamQuery(em, async (reader) => readEntries(reader, { ...filter, targets: await readTargets(reader, filter.person) })),
})
