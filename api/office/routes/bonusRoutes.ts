import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/admin/bonus.ts'
import { MAX_BONUS_ALONE } from '#shared/sale.ts'
import { assignBonus } from '#api/sale/bonus/assignBonus.ts'
import { grantDueBonus } from '#api/sale/bonus/grantDueBonus.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { exportBonus } from '../exports/exportBonus.ts'
import { routeExport } from '../exports/routeExport.ts'
import { listBonusStatus } from '../lists/listBonusStatus.ts'
import { listDueBonus } from '#api/sale/bonus/listDueBonus.ts'
import { readDueBonus } from '#api/sale/bonus/readDueBonus.ts'
import { lockSupply } from '#api/sale/supply/lockSupply.ts'
import { User } from '#api/entities/User.ts'
import { refusal } from '#api/platform/errors.ts'
import { offsetOf } from '#api/platform/http/presentPaging.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'

export function bonusRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  route(router, contract.listBonusStatus, ({ em, query: { page, ...query } }) =>
    listBonusStatus(em, { ...query, offset: offsetOf({ page, ...query }) }),
  )
  routeExport(router, contract.exportBonus, { file: 'bonus', clock: services.clock }, (em, query) => exportBonus(em, query))
  route(router, contract.listBonusDue, ({ em }) => listDueBonus(em))

  routeDecision(router, services, contract.assignBonus, {
    async needsSecond({ em, body: { userEmail, quantity, due: shown } }) {
      const due = await readDueLocked(em, { userEmail })
      if (shown !== undefined && shown !== due)
        throw refusal(409, 'bonus_due_changed', `The number of due bonus nodes is ${due} now. Please check the quantity.`)
      return quantity > MAX_BONUS_ALONE || quantity > due
    },
    async execute({ em, actor, body, clientAddress }) {
      const { userEmail, quantity, notes } = body
      const by = { actor: `admin:${actor.name}`, ipAddress: clientAddress }
      const nodeNumbers = await assignBonus(em, services, { userEmail, quantity, notes, by })
      return { message: `${countNodes(quantity)} granted to ${userEmail}.`, nodeNumbers }
    },
  })

  routeDecision(router, services, contract.grantDueBonus, {
    needsSecond: async ({ em, body: { userIds } }) => (await readDueLocked(em, { userIds })) > MAX_BONUS_ALONE,
    async execute({ em, actor, body, clientAddress }) {
      const by = { actor: `admin:${actor.name}`, ipAddress: clientAddress }
      const granted = await grantDueBonus(em, services, { userIds: body.userIds, by })
      const nodes = sumDue(granted)
      return { message: granted.length === 0 ? 'Nothing is due anymore.' : `${countNodes(nodes)} granted.`, granted }
    },
  })
}

/** What is due to some accounts. The supply's lock keeps it until the transaction ends. */
async function readDueLocked(
  em: EntityManager,
  { userEmail, userIds }: { userEmail?: string; userIds?: readonly string[] },
): Promise<number> {
  await lockSupply(em)
  const user = userEmail === undefined ? undefined : await em.findOne(User, { email: userEmail })
  return sumDue(await readDueBonus(em, userIds ?? (user ? [user.id] : [])))
}

const sumDue = (due: readonly { bonusPending: number }[]): number => due.reduce((sum, { bonusPending }) => sum + bonusPending, 0)

const countNodes = (count: number): string => (count === 1 ? '1 bonus node is' : `${count} bonus nodes are`)
