import { createServices } from '#api/app/createServices.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { readConfig } from '#api/platform/config.ts'
import { DepositWatcher } from '#api/sale/deposits/DepositWatcher.ts'

/** Runs the watcher on the configured chain, and prints the time in seconds. */
const config = readConfig(process.env)
const onError = (error: unknown) => {
  throw error
}
const services = await createServices(config, { worker: false, onError })
const watcher = new DepositWatcher({
  services,
  endpoints: paymentEndpoints(config),
  term: { role: 'watcher', epoch: 0 },
  onAlert: onError,
})
const started = performance.now()
await watcher.catchUp()
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1_000 }))
await services.stop()
