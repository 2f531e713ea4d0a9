import { directUrlOf, readConfig } from '#api/platform/config.ts'
import { createServices } from '#api/app/createServices.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { runPayouts } from '#api/withdrawals/payouts/runPayouts.ts'

/** Runs the configured payout worker until it is stopped. */
const config = readConfig(process.env)
const onError = (error: unknown) => console.error(error)
const services = await createServices(config, { worker: false, onError })
const payouts = runPayouts(services, { endpoints: rewardEndpoints(config), directUrl: directUrlOf(config), onError })
process.on('SIGTERM', () => void payouts.stop().then(() => services.stop()))
console.log('Running')
