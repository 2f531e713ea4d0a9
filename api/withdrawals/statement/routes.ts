import type Router from '@koa/router'
import { downloadStatement } from '#shared/contract/statement.ts'
import { utcDay } from '#shared/dates.ts'
import { routeFile } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { SPREADSHEET_TYPE } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { writeStatement } from './writeStatement.ts'

export function historyRoutes(router: Router, { clock }: Pick<Services, 'clock'>): void {
  routeFile(router, downloadStatement, ({ em, actor }) => ({
    name: `statement-${utcDay(clock.productNow())}.xlsx`,
    type: SPREADSHEET_TYPE,
    body: writeStatement(em, actor.id),
  }))
}
