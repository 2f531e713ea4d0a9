import { createServices } from '#api/app/createServices.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { readConfig } from '#api/platform/config.ts'
import { DepositWatcher } from '#api/sale/deposits/DepositWatcher.ts'

/** Runs the watcher on the configured chain until all is settled, and prints the seconds of its first round and the memory of all. */
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
const seconds = (performance.now() - started) / 1_000
// Small transfers are ignored once they are read a second time, in ranges that become smaller.
for (let round = 0; round < 15; round += 1) await watcher.catchUp()
console.log(JSON.stringify({ seconds, memory: process.resourceUsage().maxRSS * 1_024 }))
await services.stop()
