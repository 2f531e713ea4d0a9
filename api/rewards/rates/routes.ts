import type Router from '@koa/router'
import * as contract from '#shared/contract/nodes.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { readUserNodes } from './readUserNodes.ts'

export function nodeRoutes(router: Router, { clock }: Pick<Services, 'clock'>): void {
  route(router, contract.getUserNodes, ({ em, actor }) => readUserNodes(em, { userId: actor.id, productNow: clock.productNow() }))
}
