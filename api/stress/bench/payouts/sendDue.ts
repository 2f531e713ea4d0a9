import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { readConfig } from '#api/platform/config.ts'
import { createServices } from '#api/app/createServices.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { PayoutWorker } from '#api/withdrawals/payouts/PayoutWorker.ts'

/** Runs the configured payout worker until nothing is due, and prints the time in seconds. */
const config = readConfig(process.env)
const onError = (error: unknown) => {
  throw error
}
const services = await createServices(config, { worker: false, onError })
const worker = new PayoutWorker({
  services,
  endpoints: rewardEndpoints(config),
  account: await createPayoutAccount({
    privateKey: config.PAYOUT_PRIVATE_KEY,
    chainId: REWARD_CHAIN_ID,
    token: config.XCR_TOKEN_ADDRESS,
  }),
  term: { role: 'payouts', epoch: 0 },
  onAlert: (message) => onError(new Error(message)),
})
const started = performance.now()
while (await worker.hasWork()) await worker.tick()
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1_000 }))
await services.stop()
