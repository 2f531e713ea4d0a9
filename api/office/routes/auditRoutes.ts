import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/audit.ts'
import { utcDay } from '#shared/dates.ts'
import { exportAudit } from '../auditLog/exportAudit.ts'
import { listAudit } from '../auditLog/listAudit.ts'
import { route, routeFile } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { SPREADSHEET_TYPE } from '#api/platform/spreadsheets/writeSpreadsheet.ts'

export function auditRoutes(router: Router, { clock }: Pick<Services, 'clock'>): void {
  route(router, contract.listAudit, ({ em, query }) => listAudit(em, query))

  routeFile(router, contract.exportAudit, ({ em, query }) => ({
    name: `audit-${utcDay(clock.now())}.xlsx`,
    type: SPREADSHEET_TYPE,
    body: exportAudit(em, query),
  }))
}
