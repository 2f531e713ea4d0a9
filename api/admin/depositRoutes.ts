import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/purchases.ts'
import { paymentEndpoints } from '../chain/paymentEndpoints.ts'
import { type MinedTransaction, readTransaction } from '../chain/readTransaction.ts'
import { assignDeposit } from '../deposits/assignDeposit.ts'
import { decideDeposit } from '../deposits/decideDeposit.ts'
import { ignoreDeposit } from '../deposits/ignoreDeposit.ts'
import { refundDeposit } from '../deposits/refundDeposit.ts'
import { restoreNodes } from '../deposits/restoreNodes.ts'
import { type Request, route } from '../http/route.ts'
import type { Services } from '../services.ts'

export function depositRoutes(router: Router, services: Services): void {
  const { clock, config } = services
  const endpoints = paymentEndpoints(config)
  const reading = { token: config.USDT_ADDRESS, confirmations: config.PAYMENT_CONFIRMATIONS }

  route(router, contract.assignDeposit, async (request) => {
    const { em, body } = request
    const { purchaseId, userEmail, quantity, note } = body
    const decision = { action: 'deposit.assign' as const, purchaseId, ...whose(request) }
    await decideDeposit(em, decision, (reviewed) =>
      assignDeposit(em, services, reviewed, { purchaseId, userEmail, quantity, note }),
    )
    return { message: 'The deposit is assigned, and its nodes are allocated.' }
  })

  route<typeof contract.refundDeposit, MinedTransaction | null>(
    router,
    contract.refundDeposit,
    async (request) => {
      const { em, body, prepared: found } = request
      await decideDeposit(em, { action: 'deposit.refunded', ...whose(request) }, ({ deposit }) =>
        refundDeposit(em, services, deposit, { hash: body.transactionHash, found, reason: body.reason }),
      )
      return { message: 'The deposit is marked as refunded.' }
    },
    { prepare: ({ body }) => readTransaction(endpoints, { hash: body.transactionHash, ...reading }) },
  )

  route(router, contract.ignoreDeposit, async (request) => {
    const { em } = request
    const decision = { action: 'deposit.ignore' as const, states: ['review', 'orphaned'] as const, ...whose(request) }
    await decideDeposit(em, decision, async ({ deposit }) => ignoreDeposit(deposit, clock.now()))
    return { message: 'The deposit is ignored.' }
  })

  route(router, contract.restoreNodes, async (request) => {
    const { em } = request
    const decision = { action: 'deposit.restore' as const, states: ['orphaned'] as const, ...whose(request) }
    await decideDeposit(em, decision, ({ deposit, former }) => restoreNodes(em, { deposit, purchase: former }))
    return { message: 'The nodes earn again.' }
  })
}

type DecisionRequest = Pick<Request<typeof contract.ignoreDeposit>, 'params' | 'actor' | 'clientAddress'> & {
  body: { note: string }
}

const whose = ({ params, actor, clientAddress, body }: DecisionRequest) => ({
  id: params.id,
  actor: `admin:${actor.name}`,
  clientAddress,
  note: body.note,
})
