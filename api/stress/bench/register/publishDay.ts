import { DAY } from '#shared/dates.ts'
import { createServices } from '#api/app/createServices.ts'
import { publishNewest } from '#api/integrity/register/publish/publishRegister.ts'
import { readConfig } from '#api/platform/config.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { storeDefaults } from '#api/sale/settings/storeDefaults.ts'
import { clockTimeSources, FakeClock } from '#api/testing/FakeClock.ts'

/**
 * Pays the days up to a number of days ahead of the present, publishes them, and prints the seconds of this process and of the clock, and the
 * memory that publishing takes.
 */
const daysAhead = Number(process.argv[2])
const config = readConfig(process.env, { demo: true })
const onError = (error: unknown) => {
  throw error
}
const clock = new FakeClock()
clock.set(new Date())
const services = {
  ...(await createServices(config, { worker: false, onError })),
  clock: Object.assign(clock, { refresh: async () => {}, stop: async () => {} }),
}
const { orm } = services
if (process.argv.includes('--first')) {
  await orm.em.fork().transactional((em) => storeDefaults(em, clock.now()))
  await publishNewest(services)
}
// A running worker has loaded its modules in earlier rounds.
else await publishNewest(services)
clock.advanceProduct(daysAhead * DAY)
await payDueDays({ orm, clock, timeSources: clockTimeSources(clock) })
globalThis.gc?.()
const before = { memory: process.memoryUsage.rss(), cpu: process.cpuUsage(), at: performance.now() }
let peak = before.memory
const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
await publishNewest(services)
clearInterval(sampling)
const { user, system } = process.cpuUsage(before.cpu)
peak = Math.max(peak, process.memoryUsage.rss())
console.log(
  JSON.stringify({ cpu: (user + system) / 1e6, seconds: (performance.now() - before.at) / 1_000, memory: peak - before.memory }),
)
await services.stop()
