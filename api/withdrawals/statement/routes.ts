import type Router from '@koa/router'
import { downloadStatement, downloadTaxReport } from '#shared/contract/statement.ts'
import { utcDay } from '#shared/dates.ts'
import { routeFile } from '#api/platform/http/routeFile.ts'
import type { Services } from '#api/platform/services.ts'
import { CSV_TYPE } from '#api/platform/spreadsheets/writeCsv.ts'
import { SPREADSHEET_TYPE } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { writeStatement } from './writeStatement.ts'
import { writeTaxReport } from './writeTaxReport.ts'

export function historyRoutes(router: Router, { clock }: Pick<Services, 'clock'>): void {
  routeFile(router, downloadStatement, ({ em, actor }) => ({
    name: `statement-${utcDay(clock.productNow())}.xlsx`,
    type: SPREADSHEET_TYPE,
    body: writeStatement(em, actor.id),
  }))
  routeFile(router, downloadTaxReport, ({ em, actor, query: { format } }) => ({
    name: `tax-${format}-${utcDay(clock.productNow())}.csv`,
    type: CSV_TYPE,
    body: writeTaxReport(em, { userId: actor.id, format }),
  }))
}
