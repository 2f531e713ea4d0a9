import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/bonus.ts'
import { assignBonus } from '#api/sale/bonus/assignBonus.ts'
import { grantDueBonus } from '#api/sale/bonus/grantDueBonus.ts'
import { exportBonus } from '../exports/exportBonus.ts'
import { routeExport } from '../exports/routeExport.ts'
import { listBonusStatus } from '../lists/listBonusStatus.ts'
import { listDueBonus } from '#api/sale/bonus/listDueBonus.ts'
import { offsetOf } from '#api/platform/http/presentPaging.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'

export function bonusRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs'>): void {
  route(router, contract.listBonusStatus, ({ em, query: { page, ...query } }) =>
    listBonusStatus(em, { ...query, offset: offsetOf({ page, ...query }) }),
  )
  routeExport(router, contract.exportBonus, { file: 'bonus', clock: services.clock }, (em, query) => exportBonus(em, query))
  route(router, contract.listBonusDue, ({ em }) => listDueBonus(em))

  route(router, contract.assignBonus, async ({ em, actor, body, clientAddress }) => {
    const { userEmail, quantity, notes } = body
    const by = { actor: `admin:${actor.name}`, ipAddress: clientAddress }
    const nodeNumbers = await assignBonus(em, services, { userEmail, quantity, notes, by })
    return { message: `${countNodes(quantity)} granted to ${userEmail}.`, nodeNumbers }
  })

  route(router, contract.grantDueBonus, async ({ em, actor, body, clientAddress }) => {
    const by = { actor: `admin:${actor.name}`, ipAddress: clientAddress }
    const granted = await grantDueBonus(em, services, { userIds: body.userIds, by })
    const nodes = granted.reduce((sum, { bonusPending }) => sum + bonusPending, 0)
    return { message: granted.length === 0 ? 'Nothing is due anymore.' : `${countNodes(nodes)} granted.`, granted }
  })
}

const countNodes = (count: number): string => (count === 1 ? '1 bonus node is' : `${count} bonus nodes are`)
