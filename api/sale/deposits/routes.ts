import type Router from '@koa/router'
import * as contract from '#shared/contract/purchases.ts'
import { route } from '#api/platform/http/route.ts'
import { listPayments } from './listPayments.ts'

export function depositRoutes(router: Router): void {
  route(router, contract.listPayments, ({ em, actor }) => listPayments(em, actor.id))
}
