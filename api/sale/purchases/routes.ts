import type Router from '@koa/router'
import * as contract from '#shared/contract/purchases.ts'
import { publishPlaces } from '#api/platform/events/runNotifier.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { createPurchase } from './createPurchase.ts'
import { createFindReservation } from './findReservation.ts'
import { createWantBalance, forgetBalance } from './knownBalances.ts'
import { listPurchases } from './listPurchases.ts'
import { releaseReservation } from './releaseReservation.ts'
import { createReadFunds } from './readFunds.ts'
import { createReserveNodes } from './reserveNodes.ts'
import { createTellPlaces } from './tellPlaces.ts'

export function purchaseRoutes(
  router: Router,
  services: Pick<Services, 'clock' | 'config' | 'orm' | 'paymentChain' | 'onDecided'>,
): void {
  const { clock, config } = services
  const confirmations = config.PAYMENT_CONFIRMATIONS
  const readFunds = createReadFunds(services)
  const reserveNodes = createReserveNodes({ ...services, readFunds })
  const tellPlaces = createTellPlaces({
    listWaiting: reserveNodes.listWaiting,
    publish: (places) => publishPlaces(services.orm, places),
  })
  const findReservation = createFindReservation(services)
  const wantBalance = createWantBalance(services)

  route(router, contract.listPurchases, ({ em, actor }) => listPurchases(em, { userId: actor.id, confirmations }))

  route(router, contract.getReservation, ({ actor }) => {
    // The purchase page loads it, so a press may follow. That the balance is known then only makes the press faster.
    wantBalance(actor.id).catch(() => {})
    return findReservation(actor.id)
  })

  route(router, contract.createReservation, {
    transaction: false,
    handle: ({ actor, body, session, idempotencyKey, markReplayed, arrival }) => {
      tellPlaces()
      return reserveNodes({
        userId: actor.id,
        sessionKey: session.key(),
        quantity: body.requestedQuantity,
        idempotencyKey,
        onReplay: markReplayed,
        arrival,
      })
    },
  })

  route(router, contract.releaseReservation, async ({ em, actor }) => {
    await releaseReservation(em, { userId: actor.id, now: clock.now() })
    return { message: 'The reservation is released.' }
  })

  route(router, contract.createPurchase, {
    outlivesSession: true,
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
      await forgetBalance(em, { userId: actor.id, now: clock.now() })
      const [purchase] = await listPurchases(em, { userId: actor.id, id, confirmations })
      return purchase!
    },
  })
}
