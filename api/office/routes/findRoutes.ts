import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/find.ts'
import { route } from '#api/platform/http/route.ts'
import { findAnything } from '../find/findAnything.ts'

export function findRoutes(router: Router): void {
  route(router, contract.findAnything, ({ em, query: { text } }) => findAnything(em, text))
}
