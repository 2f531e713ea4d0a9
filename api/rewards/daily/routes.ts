import type Router from '@koa/router'
import * as contract from '#shared/contract/rewards.ts'
import { route } from '#api/platform/http/route.ts'
import { listDistributions } from './listDistributions.ts'

export function rewardRoutes(router: Router): void {
  route(router, contract.listDistributions, ({ em, actor }) => listDistributions(em, actor.id))
}
