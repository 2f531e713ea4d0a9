import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/withdrawals.ts'
import { catchRefusal, DomainError } from '#api/platform/errors.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { type Request, route } from '#api/platform/http/route.ts'
import { siteHost } from '#api/platform/http/siteHost.ts'
import type { Services } from '#api/platform/services.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { readLargestPayout } from '../payoutWallets/payoutCaps.ts'
import { cancelWithdrawal, requireCancellable } from './cancelWithdrawal.ts'
import { changeDailyLimit } from './changeDailyLimit.ts'
import { readDailyLimit } from './dailyLimit.ts'
import { readHold } from './findHoldEnd.ts'
import { requireKnownNonces } from './requireKnownNonces.ts'
import { listWithdrawals } from './listWithdrawals.ts'
import { checkWithdrawal, requestWithdrawal, type WithdrawalRequest } from './requestWithdrawal.ts'

/** @param signReceipt signs the receipt of a cause at once, if it can (`integrity/register/`). */
export function withdrawalRoutes(
  router: Router,
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'paymentChain' | 'rewardChain'>,
  signReceipt: (cause: string) => Promise<{ receipt?: string }>,
): void {
  const { clock, config } = services
  const endpoints = rewardEndpoints(config)
  const list = async (em: EntityManager, { userId, id }: { userId: string; id?: string }) =>
    listWithdrawals(em, { userId, ...(id && { id }), largest: await readLargestPayout(em, config) })

  route(router, contract.listWithdrawals, ({ em, actor }) => list(em, { userId: actor.id }))

  route(router, contract.requestWithdrawal, {
    // In a repeated request the balance is lower, the code is used and the message has expired.
    prepare: (request) => catchRefusal(checkWithdrawal(request.em, services, readRequest(request))),
    async handle(request) {
      const { em, actor, prepared } = request
      if (prepared instanceof DomainError) throw prepared
      const id = await requestWithdrawal(em, services, readRequest(request), prepared)
      if (config.register) request.afterCommit(() => signReceipt(`withdrawal:${id}`))
      const [withdrawal] = await list(em, { userId: actor.id, id })
      return withdrawal!
    },
  })

  route(router, contract.cancelWithdrawal, {
    prepare: ({ em, actor, params }) =>
      catchRefusal(
        requireCancellable(em, { id: params.id, userId: actor.id }).then(() => requireKnownNonces(em, { config, endpoints })),
      ),
    async handle({ em, actor, params, clientAddress, prepared }) {
      if (prepared) throw prepared
      await cancelWithdrawal(em, services, { id: params.id, user: ownerOf(actor), clientAddress })
      const [withdrawal] = await list(em, { userId: actor.id, id: params.id })
      return withdrawal!
    },
  })

  route(router, contract.getDailyLimit, async ({ em, actor }) => ({
    ...(await readDailyLimit(em, clock, actor.id)),
    ...(await readHold(em, clock, actor.id)),
  }))

  route(router, contract.changeDailyLimit, async ({ em, actor, session, body, clientAddress }) => {
    const caller = { user: ownerOf(actor), sessionKey: session.key(), clientAddress, now: clock.now() }
    await changeDailyLimit(em, services, { ...body, ...caller })
    return readDailyLimit(em, clock, actor.id)
  })

  function readRequest({
    actor,
    session,
    body,
    header,
    clientAddress,
  }: Request<typeof contract.requestWithdrawal>): WithdrawalRequest {
    return {
      ...body,
      user: ownerOf(actor),
      sessionKey: session.key(),
      host: siteHost(config, header('host')),
      clientAddress,
      now: clock.now(),
      productNow: clock.productNow(),
    }
  }
}
