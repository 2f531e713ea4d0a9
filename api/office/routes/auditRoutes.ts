import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/audit.ts'
import { exportAudit } from '../auditLog/exportAudit.ts'
import { listAudit } from '../auditLog/listAudit.ts'
import { routeExport } from '../exports/routeExport.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'

export function auditRoutes(router: Router, { clock }: Pick<Services, 'clock'>): void {
  route(router, contract.listAudit, ({ em, query }) => listAudit(em, query))

  routeExport(router, contract.exportAudit, { file: 'audit', clock }, (em, query) => exportAudit(em, query))
}
