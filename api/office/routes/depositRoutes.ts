import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/deposits.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { readTransaction } from '#api/platform/chain/readTransaction.ts'
import { assignDeposits, objectToAssignment } from '#api/sale/deposits/assignDeposits.ts'
import { decideDeposits, lockReviewed } from '#api/sale/deposits/decideDeposits.ts'
import { requireOpen } from '#api/sale/purchases/decidePurchase.ts'
import { needsTwo, requireNamed } from '#api/sale/purchases/objections.ts'
import { ignoreDeposits } from '#api/sale/deposits/ignoreDeposits.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { exportDeposits } from '../exports/exportDeposits.ts'
import { routeExport } from '../exports/routeExport.ts'
import { listDeposits } from '../lists/listDeposits.ts'
import { listIgnoredDeposits } from '../lists/listIgnoredDeposits.ts'
import { refundDeposits } from '#api/sale/deposits/refundDeposits.ts'
import { readRemined, restoreNodes } from '#api/sale/deposits/restoreNodes.ts'
import { type Request, route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'

export function depositRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, config } = services
  const endpoints = paymentEndpoints(config)
  const reading = { token: config.USDT_ADDRESS, confirmations: config.PAYMENT_CONFIRMATIONS }

  route(router, contract.listDeposits, ({ em, query }) => listDeposits(em, query))
  routeExport(router, contract.exportDeposits, { file: 'deposits', clock }, (em, query) => exportDeposits(em, query))

  routeDecision(router, services, contract.assignDeposit, {
    async needsSecond({ em, body, ...request }) {
      const reviewed = await lockReviewed(em, { ...contextOf({ ...request, body }), purchaseId: body.purchaseId })
      if (body.purchaseId) requireOpen(reviewed.purchase)
      const objections = await objectToAssignment(em, reviewed, { ...body, now: clock.now() })
      requireNamed(objections, body)
      return needsTwo(objections)
    },
    async execute(request) {
      const { em, body, isPlain } = request
      const { purchaseId, userEmail, quantity, note, overridden } = body
      const decision = { action: 'deposit.assign' as const, purchaseId, ...contextOf(request) }
      await decideDeposits(em, decision, (reviewed) =>
        assignDeposits(em, services, reviewed, { purchaseId, userEmail, quantity, note, overridden, isPlain }),
      )
      return { message: 'The deposit is assigned, and its nodes are allocated.' }
    },
  })

  route(router, contract.refundDeposit, {
    prepare: ({ body }) => readTransaction(endpoints, { hash: body.transactionHash, ...reading }),
    async handle(request) {
      const { em, body, prepared: found } = request
      const refund = { hash: body.transactionHash, found, reason: body.reason }
      await decideDeposits(em, { action: 'deposit.refunded', ...contextOf(request) }, async (reviewed) => ({
        details: await refundDeposits(em, services, reviewed, refund),
      }))
      return { message: 'The deposit is marked as refunded.' }
    },
  })

  route(router, contract.ignoreDeposit, async (request) => {
    const { em, body } = request
    const decision = { action: 'deposit.ignore' as const, states: ['review', 'orphaned'] as const, ...contextOf(request) }
    await decideDeposits(em, decision, (reviewed) => ignoreDeposits(em, services, reviewed, { shownAs: body.state }))
    return { message: 'The deposit is ignored.' }
  })

  route(router, contract.restoreNodes, {
    prepare: ({ em, params: { id } }) => readRemined(em, { id, endpoints, config }),
    async handle(request) {
      const { em, prepared: remined } = request
      const decision = { action: 'deposit.restore' as const, states: ['orphaned'] as const, ...contextOf(request) }
      await decideDeposits(em, decision, async ({ deposits: [deposit], formerOf }) => ({
        details: [await restoreNodes(em, services, { deposit: deposit!, purchase: formerOf(deposit!), remined })],
      }))
      return { message: 'The nodes earn again.' }
    },
  })

  route(router, contract.listIgnoredDeposits, ({ em, query }) => listIgnoredDeposits(em, query))
}

type DecisionRequest = Pick<Request<typeof contract.ignoreDeposit>, 'params' | 'actor' | 'clientAddress'> & {
  body: { note: string; others?: readonly string[] | undefined }
}

const contextOf = ({ params, actor, clientAddress, body }: DecisionRequest) => ({
  ids: [params.id, ...(body.others ?? [])],
  actor: `admin:${actor.name}`,
  clientAddress,
  note: body.note,
})
