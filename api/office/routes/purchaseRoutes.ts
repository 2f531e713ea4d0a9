import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/admin/purchases.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { readTransaction } from '#api/platform/chain/readTransaction.ts'
import { listPendingReviews } from '../lists/listPendingReviews.ts'
import { offsetOf } from '#api/platform/http/presentPaging.ts'
import { type Request, route } from '#api/platform/http/route.ts'
import { approvePurchase, weighApproval } from '#api/sale/purchases/approvePurchase.ts'
import { closePurchase } from '#api/sale/purchases/closePurchase.ts'
import { confirmWithTransaction, weighTransaction } from '#api/sale/purchases/confirmWithTransaction.ts'
import { decidePurchase, lockOpenPurchase } from '#api/sale/purchases/decidePurchase.ts'
import { needsTwo, type Overriding, requireNamed } from '#api/sale/purchases/objections.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { exportPurchases } from '../exports/exportPurchases.ts'
import { routeExport } from '../exports/routeExport.ts'
import { listAllPurchases, readAdminPurchases } from '../lists/listAllPurchases.ts'
import type { Services } from '#api/platform/services.ts'

export function purchaseRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, config } = services
  const confirmations = config.PAYMENT_CONFIRMATIONS
  const endpoints = paymentEndpoints(config)

  route(router, contract.listAdminPurchases, ({ em, query }) => listAllPurchases(em, { ...query, confirmations }))

  route(router, contract.listPendingReviews, ({ em, query }) =>
    listPendingReviews(em, { confirmations, limit: query.limit, offset: offsetOf(query) }),
  )

  routeExport(router, contract.downloadPurchases, { file: 'purchases', clock }, (em, query) => exportPurchases(em, query))

  routeDecision(router, services, contract.approvePurchase, {
    async needsSecond({ em, params, body }) {
      const { objections } = await weighApproval(em, await lockOpenPurchase(em, params))
      requireNamed(objections, body)
      return needsTwo(objections)
    },
    async execute(request) {
      const { em, body, isPlain } = request
      const decision = { action: 'purchase.approve' as const, note: body.notes, ...contextOf(request) }
      await decidePurchase(em, decision, (open) => approvePurchase(em, services, open, { ...body, isPlain }))
      return answer(request, 'The purchase is confirmed.')
    },
  })

  route(router, contract.rejectPurchase, async (request) => {
    const { em, body } = request
    const decision = { action: 'purchase.reject' as const, note: body.notes, ...contextOf(request) }
    await decidePurchase(em, decision, (open) => closePurchase(em, services, open, { status: 'failed', reason: body.notes }))
    return answer(request, 'The purchase is rejected.')
  })

  route(router, contract.cancelPurchase, async (request) => {
    const { em, body } = request
    const decision = { action: 'purchase.cancel' as const, note: body.reason, ...contextOf(request) }
    await decidePurchase(em, decision, (open) => closePurchase(em, services, open, { status: 'cancelled', reason: body.reason }))
    return answer(request, 'The purchase is cancelled.')
  })

  routeDecision(router, services, contract.manualConfirmPurchase, {
    prepare: ({ body }) => readTransaction(endpoints, { hash: body.transactionHash, token: config.USDT_ADDRESS, confirmations }),
    async needsSecond({ em, params, body, prepared: found }) {
      const hash = body.transactionHash
      const open = await lockOpenPurchase(em, { id: params.id, hash })
      const { objections } = await weighTransaction(em, open, { hash, found })
      requireNamed(objections, overridingOf(body))
      return needsTwo(objections)
    },
    async execute(request) {
      const { em, body, isPlain, prepared: found } = request
      const hash = body.transactionHash
      const decision = { action: 'purchase.manual_confirm' as const, note: body.notes, hash, ...contextOf(request) }
      await decidePurchase(em, decision, (open) =>
        confirmWithTransaction(em, services, open, { ...overridingOf(body), isPlain, hash, found }),
      )
      return answer(request, 'The purchase is confirmed.')
    },
  })

  async function answer({ em, params }: { em: EntityManager; params: { id: string } }, message: string) {
    await em.flush()
    const [purchase] = await readAdminPurchases(em, { ids: [params.id], confirmations })
    return { message, purchase: purchase! }
  }
}

type Confirmation = Request<typeof contract.manualConfirmPurchase>['body']

/** `override` alone sets aside whatever holds. */
const overridingOf = ({ overridden, override }: Confirmation): Overriding => ({
  overridden: overridden ?? (override ? undefined : []),
})

type DecisionRequest = Pick<Request<typeof contract.approvePurchase>, 'params' | 'actor' | 'clientAddress'>

const contextOf = ({ params, actor, clientAddress }: DecisionRequest) => ({
  id: params.id,
  actor: `admin:${actor.name}`,
  clientAddress,
})
