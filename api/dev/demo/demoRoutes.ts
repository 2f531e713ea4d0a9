import type Router from '@koa/router'
import { advanceDemoClock, fundDemoWallet } from '#shared/contract/demo.ts'
import { advanceProductClock } from '#api/platform/clock/advanceProductClock.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { connectDevChain, PAYMENT_CHAIN_ID, REWARD_CHAIN_ID } from '../connectDevChain.ts'
import { fundWallet } from './fundWallet.ts'

/** Routes of the demo bar. Registered only with embedded chains. */
export function demoRoutes(router: Router, { config }: Pick<Services, 'config'>): void {
  const [paymentUrl = ''] = config.BSC_RPC_URLS
  const [rewardUrl = ''] = config.XCR_RPC_URLS
  const chains = {
    payment: connectDevChain(paymentUrl, PAYMENT_CHAIN_ID),
    reward: connectDevChain(rewardUrl, REWARD_CHAIN_ID),
    usdtAddress: config.USDT_ADDRESS,
  }

  route(router, fundDemoWallet, {
    transaction: false,
    async handle({ body }) {
      await fundWallet(chains, body.address)
      return {}
    },
  })

  route(router, advanceDemoClock, async ({ em, body }) => {
    await advanceProductClock(em, { hours: body.advanceHours })
    return {}
  })
}
