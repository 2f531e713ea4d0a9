import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/books.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { exportLedger } from '../books/exportLedger.ts'
import { exportPayouts } from '../books/exportPayouts.ts'
import { exportRewards } from '../books/exportRewards.ts'
import { readMonth } from '../books/readMonth.ts'
import { routeExport } from '../exports/routeExport.ts'

/** The monthly report, and the files that only accountants need. */
export function bookRoutes(router: Router, { clock }: Pick<Services, 'clock'>): void {
  route(router, contract.getMonth, ({ em, query }) => readMonth(em, { month: query.month, productNow: clock.productNow() }))
  routeExport(router, contract.exportLedger, { file: 'ledger', clock }, exportLedger)
  routeExport(router, contract.exportRewards, { file: 'rewards', clock }, exportRewards)
  routeExport(router, contract.exportPayouts, { file: 'payouts', clock }, exportPayouts)
}
