import { flushCompileCache } from 'node:module'
import { directUrlOf } from '#api/platform/config.ts'
import { createServices } from '#api/app/createServices.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { type PayoutStep, payoutSteps } from '#api/withdrawals/payouts/PayoutContext.ts'
import { runPayouts } from '#api/withdrawals/payouts/runPayouts.ts'
import { testConfig } from './testConfig.ts'

/**
 * A payout worker in a separate process. Its configuration is its environment.
 *
 * The argument is the step at which it is killed, as by `kill -9`. Without an argument it keeps running.
 */
const last = payoutSteps.find((step) => step === process.argv[2])
const { DATABASE_URL = '', ...env } = process.env
const config = testConfig({ DATABASE_URL, ...env })
const onError = (error: unknown) => console.error(error)
// Otherwise written at the end, which this process may not live to see.
flushCompileCache()
const services = await createServices(config, { worker: false, onError })

const step = async (at: PayoutStep) => {
  // Nothing after this line runs: a signal to the own process is delivered before the call returns.
  if (at === last) process.kill(process.pid, 'SIGKILL')
}
runPayouts(services, { endpoints: rewardEndpoints(config), directUrl: directUrlOf(config), onError, step })
