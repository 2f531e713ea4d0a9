import type Router from '@koa/router'
import * as contract from '#shared/contract/purchases.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { createPurchase } from './createPurchase.ts'
import { findReservation } from './findReservation.ts'
import { listPurchases } from './listPurchases.ts'
import { releaseReservation } from './releaseReservation.ts'
import { createReadFunds } from './readFunds.ts'
import { createReserveNodes } from './reserveNodes.ts'

export function purchaseRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'orm' | 'paymentChain'>): void {
  const { clock, config } = services
  const confirmations = config.PAYMENT_CONFIRMATIONS
  const readFunds = createReadFunds(services)
  const reserveNodes = createReserveNodes(services)

  route(router, contract.listPurchases, ({ em, actor }) => listPurchases(em, { userId: actor.id, confirmations }))

  route(router, contract.getReservation, ({ em, actor }) => findReservation(em, { userId: actor.id, now: clock.now() }))

  route(router, contract.createReservation, {
    transaction: false,
    prepare: ({ actor }) => readFunds(actor.id),
    handle: ({ actor, body, session, idempotencyKey, markReplayed, prepared: funds }) =>
      reserveNodes({
        userId: actor.id,
        sessionKey: session.key(),
        quantity: body.requestedQuantity,
        idempotencyKey,
        onReplay: markReplayed,
        funds,
      }),
  })

  route(router, contract.releaseReservation, async ({ em, actor }) => {
    await releaseReservation(em, { userId: actor.id, now: clock.now() })
    return { message: 'The reservation is released.' }
  })

  route(router, contract.createPurchase, {
    prepare: ({ actor }) => readFunds(actor.id),
    async handle({ em, actor, body, session, prepared: funds }) {
      const id = await createPurchase(em, {
        userId: actor.id,
        sessionKey: session.key(),
        quantity: body.requestedQuantity,
        amount: body.purchaseAmountUsdt,
        hash: body.transactionHash,
        funds,
        now: clock.now(),
        productNow: clock.productNow(),
        depositAddress: config.DEPOSIT_ADDRESS,
      })
      const [purchase] = await listPurchases(em, { userId: actor.id, id, confirmations })
      return purchase!
    },
  })
}
