import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminRole } from '#shared/adminRoles.ts'
import { formatAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/office.ts'
import type { SettingKey } from '#shared/settings.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { route } from '#api/platform/http/route.ts'
import { listRates } from '#api/rewards/rates/listRates.ts'
import { scheduleRate } from '#api/rewards/rates/scheduleRate.ts'
import type { Services } from '#api/platform/services.ts'
import { decisionsOf } from '../proposals/Decision.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { changePayoutCap, raisesPayoutCap, readPayoutCaps } from './changePayoutCap.ts'
import { changeSystemSetting } from './changeSystemSetting.ts'
import { readAdminStats } from '../figures/readAdminStats.ts'
import { readCharts } from '../figures/readCharts.ts'
import { readWaiting } from '../waiting/readWaiting.ts'
import { resetVesting } from '#api/rewards/vesting/resetVesting.ts'
import { startVesting } from '#api/rewards/vesting/startVesting.ts'

/** What moves money or is paid for. The others switch something on and off. */
const criticalSettings: readonly SettingKey[] = [
  'node_price_usdt',
  'xcr_per_node_daily',
  'withdrawal_fee_amount',
  'fee_recipient_address',
]

/** Routes of the office's figures, vesting, settings, rates and charts. */
export function officeRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, config } = services

  const waitingFor = (em: EntityManager, actor: { id: string; role: AdminRole }) =>
    readWaiting(em, { actor, now: clock.now(), decisions: decisionsOf(router) })
  route(router, contract.getAdminStats, async ({ em, actor }) => ({
    ...(await readAdminStats(em)),
    allWaiting: (await waitingFor(em, actor)).total,
  }))
  route(router, getWaiting, ({ em, actor }) => waitingFor(em, actor))
  route(router, contract.getAdminCharts, ({ em, query }) =>
    readCharts(em, { days: Number(query.days), productNow: clock.productNow() }),
  )

  route(router, contract.startVesting, async ({ em, actor, clientAddress }) => {
    await startVesting(em, { actor: `admin:${actor.name}`, clientAddress, productNow: clock.productNow() })
    return { message: 'Vesting has started.' }
  })
  routeDecision(router, services, contract.resetVesting, async ({ em, actor, clientAddress }) => {
    await resetVesting(em, { actor: `admin:${actor.name}`, clientAddress })
    return { message: 'Vesting is reset.' }
  })

  routeDecision(router, services, contract.changeSystemSetting, {
    needsSecond: ({ body }) => criticalSettings.includes(body.key),
    async execute({ em, actor, body, clientAddress }) {
      const value = await changeSystemSetting(em, services, { ...body, actor: `admin:${actor.name}`, clientAddress })
      return { key: body.key, value, message: 'The setting is saved.' }
    },
  })

  route(router, contract.getPayoutCaps, ({ em }) => readPayoutCaps(em, config, clock.now()))
  routeDecision(router, services, contract.changePayoutCap, {
    needsSecond: ({ em, body }) => raisesPayoutCap(em, config, body),
    async execute({ em, actor, body, clientAddress }) {
      await changePayoutCap(em, config, { ...body, actor: `admin:${actor.name}`, clientAddress })
      return readPayoutCaps(em, config, clock.now())
    },
  })

  route(router, contract.listRewardRates, ({ em }) => listRates(em, clock.productNow()))
  routeDecision(router, services, contract.scheduleRewardRate, async ({ em, actor, body, clientAddress }) => {
    const { rate, ...when } = body
    await scheduleRate(em, services, { rate: formatAmount(rate), ...when, actor: `admin:${actor.name}`, clientAddress })
    return listRates(em, clock.productNow())
  })
}
