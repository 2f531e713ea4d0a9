import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/admin/withdrawals.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { catchRefusal } from '#api/platform/errors.ts'
import { type Request, route } from '#api/platform/http/route.ts'
import { arePayoutsStopped } from '#api/withdrawals/payoutWallets/arePayoutsStopped.ts'
import type { Services } from '#api/platform/services.ts'
import { approveWithdrawal } from '#api/withdrawals/requests/approveWithdrawal.ts'
import { decideWithdrawal } from './decideWithdrawal.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { exportWithdrawals } from '../exports/exportWithdrawals.ts'
import { routeExport } from '../exports/routeExport.ts'
import { listAllWithdrawals, summarizeWithdrawals } from '../lists/listAllWithdrawals.ts'
import { isAboveReviewLimit } from '#api/withdrawals/requests/isAboveReviewLimit.ts'
import { markWithdrawalPaid } from '#api/withdrawals/requests/markWithdrawalPaid.ts'
import { readPayment } from '#api/withdrawals/requests/readPayment.ts'
import { readWithdrawalStats } from '../figures/readWithdrawalStats.ts'
import { rejectWithdrawal, requireRejectable } from '#api/withdrawals/requests/rejectWithdrawal.ts'

const outcomes = {
  refunded: 'The withdrawal is rejected and refunded.',
  cancelling: 'The withdrawal is rejected. It will be refunded once its nonce is used on the chain.',
}

export function withdrawalRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, config } = services
  const endpoints = rewardEndpoints(config)

  const isAboveLimit = async ({ em, params }: { em: EntityManager; params: { id: string } }) =>
    isAboveReviewLimit(em, { id: params.id, limit: config.PAYOUT_REVIEW_ABOVE, now: await clock.dueNow(em) })

  const list = async (em: EntityManager, query: Parameters<typeof listAllWithdrawals>[1]) => ({
    ...(await listAllWithdrawals(em, query)),
    ...(await readWithdrawalStats(em, clock.productNow())),
  })
  route(router, contract.listAdminWithdrawals, ({ em, query }) => list(em, query))
  route(router, contract.searchAdminWithdrawals, ({ em, query }) => list(em, query))

  route(router, contract.summarizeWithdrawals, ({ em, query }) => summarizeWithdrawals(em, query))
  routeExport(router, contract.exportWithdrawals, { file: 'withdrawals', clock }, (em, query) => exportWithdrawals(em, query))

  routeDecision(router, services, contract.approveWithdrawal, {
    needsSecond: isAboveLimit,
    async execute(request) {
      const { em, params, body } = request
      const now = await clock.dueNow(em)
      const { withdrawal } = await decideWithdrawal(em, { action: 'withdrawal.approve', ...contextOf(request) }, () =>
        approveWithdrawal(em, { id: params.id, notes: body.notes, now }),
      )
      return { message: 'The withdrawal is approved.', withdrawal }
    },
  })

  route(router, contract.rejectWithdrawal, {
    prepare: ({ em, params }) => catchRefusal(requireRejectable(em, { id: params.id, config, endpoints })),
    async handle(request) {
      const { em, params, body, prepared } = request
      if (prepared) throw prepared
      const { outcome, withdrawal } = await decideWithdrawal(em, { action: 'withdrawal.reject', ...contextOf(request) }, () =>
        rejectWithdrawal(em, services, { id: params.id, reason: body.reason }),
      )
      return { message: outcomes[outcome], withdrawal }
    },
  })

  routeDecision(router, services, contract.markWithdrawalPaid, {
    needsSecond: isAboveLimit,
    prepare: ({ body }) => readPayment(endpoints, { config, transactionHash: body.transactionHash }),
    async execute(request) {
      const { em, params, prepared: payment } = request
      const states = (await arePayoutsStopped(em)) ? (['manual_review', 'pending'] as const) : undefined
      const decision = { action: 'withdrawal.mark_paid' as const, ...contextOf(request), ...(states && { states }) }
      const { withdrawal } = await decideWithdrawal(em, decision, () =>
        markWithdrawalPaid(em, services, { id: params.id, payment }),
      )
      return { message: 'The withdrawal is marked as paid.', withdrawal }
    },
  })
}

type DecisionRequest = Pick<Request<typeof contract.approveWithdrawal>, 'params' | 'actor' | 'clientAddress'>

const contextOf = ({ params, actor, clientAddress }: DecisionRequest) => ({
  id: params.id,
  actor: `admin:${actor.name}`,
  clientAddress,
})
