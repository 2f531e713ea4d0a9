import type Router from '@koa/router'
import { formatAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/office.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { route } from '#api/platform/http/route.ts'
import { listRates } from '#api/rewards/rates/listRates.ts'
import { scheduleRate } from '#api/rewards/rates/scheduleRate.ts'
import type { Services } from '#api/platform/services.ts'
import { changePayoutCap, readPayoutCaps } from './changePayoutCap.ts'
import { changeSystemSetting } from './changeSystemSetting.ts'
import { readAdminStats } from '../figures/readAdminStats.ts'
import { readCharts } from '../figures/readCharts.ts'
import { readWaiting } from '../waiting/readWaiting.ts'
import { resetVesting } from '#api/rewards/vesting/resetVesting.ts'
import { startVesting } from '#api/rewards/vesting/startVesting.ts'

/** Routes of the office's figures, vesting, settings, rates and charts. */
export function officeRoutes(router: Router, services: Pick<Services, 'clock' | 'config'>): void {
  const { clock, config } = services

  route(router, contract.getAdminStats, async ({ em }) => ({
    ...(await readAdminStats(em)),
    allWaiting: (await readWaiting(em, clock.now())).total,
  }))
  route(router, getWaiting, ({ em }) => readWaiting(em, clock.now()))
  route(router, contract.getAdminCharts, ({ em, query }) =>
    readCharts(em, { days: Number(query.days), productNow: clock.productNow() }),
  )

  route(router, contract.startVesting, async ({ em, actor, clientAddress }) => {
    await startVesting(em, { actor: `admin:${actor.name}`, clientAddress, productNow: clock.productNow() })
    return { message: 'Vesting has started.' }
  })
  route(router, contract.resetVesting, async ({ em, actor, clientAddress }) => {
    await resetVesting(em, { actor: `admin:${actor.name}`, clientAddress })
    return { message: 'Vesting is reset.' }
  })

  route(router, contract.changeSystemSetting, async ({ em, actor, body, clientAddress }) => {
    const value = await changeSystemSetting(em, services, { ...body, actor: `admin:${actor.name}`, clientAddress })
    return { key: body.key, value, message: 'The setting is saved.' }
  })

  route(router, contract.getPayoutCaps, ({ em }) => readPayoutCaps(em, config, clock.now()))
  route(router, contract.changePayoutCap, async ({ em, actor, body, clientAddress }) => {
    await changePayoutCap(em, config, { ...body, actor: `admin:${actor.name}`, clientAddress })
    return readPayoutCaps(em, config, clock.now())
  })

  route(router, contract.listRewardRates, ({ em }) => listRates(em, clock.productNow()))
  route(router, contract.scheduleRewardRate, async ({ em, actor, body, clientAddress }) => {
    const { rate, effectiveFrom } = body
    await scheduleRate(em, services, { rate: formatAmount(rate), effectiveFrom, actor: `admin:${actor.name}`, clientAddress })
    return listRates(em, clock.productNow())
  })
}
