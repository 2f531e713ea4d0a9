import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import type { ExportFormat } from '#shared/contract/admin/filters.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { midnightOf, monthRange, utcDay } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { type FileAnswer, routeFile } from '#api/platform/http/routeFile.ts'
import { CSV_TYPE, writeCsv } from '#api/platform/spreadsheets/writeCsv.ts'
import { type Spreadsheet, SPREADSHEET_TYPE, writeSpreadsheet } from '#api/platform/spreadsheets/writeSpreadsheet.ts'

/** A spreadsheet's name, columns and rows, which are read while the file is sent. */
export type Table<Row> = Pick<Spreadsheet<Row>, 'name' | 'columns' | 'rows'>

interface Exported {
  /** The file's name without date and extension, which also names it in the audit log. */
  file: string
  clock: Pick<Clock, 'productNow'>
}

interface Filter {
  format: ExportFormat
  month?: string | undefined
  from?: Date | undefined
  until?: Date | undefined
}

/** What tells apart files of the same table: the month that one has whole, or else the day on which it was made. */
function periodOf({ format: _format, month, from, until, ...others }: Filter, now: Date): string {
  const isNarrowed = Object.values(others).some((value) => value !== undefined)
  const covered = month ?? (from && !isNarrowed ? utcDay(from).slice(0, 7) : undefined)
  if (covered === undefined) return utcDay(now)
  const { begin, end } = monthRange(covered)
  const isWhole = month !== undefined || (Number(from) === Number(midnightOf(begin)) && Number(until) === Number(midnightOf(end)))
  return isWhole ? covered : utcDay(now)
}

/** Every export takes a filter and the format of its file. */
type ExportEndpoint<Query> = Endpoint & { access: 'admin'; query: z.ZodType<Query> }

/** A table as a file, which is written while it is sent. */
const writeFile = <Row>(name: string, format: ExportFormat, table: Table<Row>): FileAnswer => ({
  name: `${name}.${format}`,
  ...(format === 'csv' ? { type: CSV_TYPE, body: writeCsv(table) } : { type: SPREADSHEET_TYPE, body: writeSpreadsheet(table) }),
})

/** Registers an export of the back office. Each one is recorded in the audit log with its filter, before its first byte is sent. */
export function routeExport<Query extends Filter, Row>(
  router: Router,
  endpoint: ExportEndpoint<Query>,
  { file, clock }: Exported,
  read: (em: EntityManager, filter: Omit<Query, 'format'>) => Table<Row>,
): void {
  routeFile(router, endpoint, async ({ em, actor, clientAddress, query }) => {
    const { format, ...filter } = query
    await em.transactional(async (writer) =>
      recordAudit(writer, {
        actor: `admin:${actor.name}`,
        action: 'list.export',
        target: file,
        ipAddress: clientAddress,
        after: z.encode(endpoint.query, query),
      }),
    )
    return writeFile(`${file}-${periodOf(query, clock.productNow())}`, format, read(em, filter))
  })
}
