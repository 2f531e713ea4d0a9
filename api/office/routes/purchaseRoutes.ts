import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import * as contract from '#shared/contract/admin/purchases.ts'
import { ReviewedWallet } from '#api/entities/ReviewedWallet.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { readTransaction } from '#api/platform/chain/readTransaction.ts'
import { listPendingReviews } from '../lists/listPendingReviews.ts'
import { offsetOf } from '#api/platform/http/presentPaging.ts'
import { type Request, route } from '#api/platform/http/route.ts'
import { readAmountDue } from '#api/sale/purchases/amountDue.ts'
import { approvePurchase } from '#api/sale/purchases/approvePurchase.ts'
import { closePurchase } from '#api/sale/purchases/closePurchase.ts'
import { confirmWithTransaction } from '#api/sale/purchases/confirmWithTransaction.ts'
import { decidePurchase, lockDecided } from '#api/sale/purchases/decidePurchase.ts'
import { mayBeRefunded } from '#api/sale/purchases/mayBeRefunded.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { isOfAnother } from '#api/sale/deposits/assignDeposits.ts'
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
    // Unless it is paid in full it would be an override without a transaction.
    needsSecond: async ({ em, params }) => !(await isPaid(em, params.id)),
    async execute(request) {
      const { em, body } = request
      const decision = { action: 'purchase.approve' as const, note: body.notes, ...contextOf(request) }
      await decidePurchase(em, decision, (open) => approvePurchase(em, services, open))
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
    needsSecond: async ({ em, params, body }) =>
      body.override === true || !(await isPlain(em, { id: params.id, hash: body.transactionHash })),
    prepare: ({ body }) => readTransaction(endpoints, { hash: body.transactionHash, token: config.USDT_ADDRESS, confirmations }),
    async execute(request) {
      const { em, body, prepared: found } = request
      const hash = body.transactionHash
      const decision = { action: 'purchase.manual_confirm' as const, note: body.notes, hash, ...contextOf(request) }
      await decidePurchase(em, decision, (open) =>
        confirmWithTransaction(em, services, open, { hash, found, override: body.override === true }),
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

/**
 * Whether final payments of all that is due wait for the purchase, all from the buyer's wallet, which no other account has. Their locks
 * keep the answer until the transaction ends.
 */
async function isPaid(em: EntityManager, id: string): Promise<boolean> {
  const { purchases, deposits } = await lockDecided(em, { id })
  const paid = deposits.filter(({ purchase, state }) => purchase?.id === id && state === 'review')
  const purchase = purchases.get(id)
  if (!purchase?.wallet || paid.length === 0) return false
  // A payment from another wallet belongs to whoever sent it.
  if (paid.some(({ sender }) => sender !== purchase.wallet)) return false
  if (await isOfAnother(em, { sender: purchase.wallet, deposits: paid, buyer: purchase.user.id })) return false
  return paid.reduce((sum, { amount }) => sum + amount, 0n) >= (await readAmountDue(em, purchase))
}

/**
 * Whether one person may confirm a purchase with a transaction of its amount: it costs no less than is due, no other account paid it, and it
 * was not refunded before the database was restored.
 */
async function isPlain(em: EntityManager, { id, hash }: { id: string; hash: Hash }): Promise<boolean> {
  const { purchases, deposits } = await lockDecided(em, { id, hash })
  const purchase = purchases.get(id)
  // Refused later.
  if (!purchase) return true
  if (purchase.amount < (await readAmountDue(em, purchase))) return false
  const { wallet: sender, user } = purchase
  if (!sender) return true
  const named = deposits.filter((deposit) => deposit.transactionHash === hash && deposit.sender === sender)
  // A payment that is not read yet may be as old as those that wait for review.
  const isUnknown = named.length === 0 && (await em.count(ReviewedWallet, { address: sender })) > 0
  if (isUnknown || (await mayBeRefunded(em, named))) return false
  return !(await isOfAnother(em, { sender, deposits: named, buyer: user.id }))
}

type DecisionRequest = Pick<Request<typeof contract.approvePurchase>, 'params' | 'actor' | 'clientAddress'>

const contextOf = ({ params, actor, clientAddress }: DecisionRequest) => ({
  id: params.id,
  actor: `admin:${actor.name}`,
  clientAddress,
})
