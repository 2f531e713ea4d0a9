import { readFileSync } from 'node:fs'
import { DAY } from '#shared/dates.ts'
import { createServices } from '#api/app/createServices.ts'
import { publishNewest } from '#api/integrity/register/publish/publishRegister.ts'
import { readConfig } from '#api/platform/config.ts'
import { sql } from '#api/platform/db/sql.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { storeDefaults } from '#api/sale/settings/storeDefaults.ts'
import { clockTimeSources, FakeClock } from '#api/testing/FakeClock.ts'

/** Of `/proc/<pid>/stat` on Linux. */
const TICKS_PER_SECOND = 100

/**
 * Pays the days up to a number of days ahead of the present, publishes them, and prints the processor's seconds of this process and of its
 * connections' server processes, the seconds of the clock, and the memory that publishing takes: the most that this process held meanwhile,
 * less what it held right before, after a collection.
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
  await sql(orm.em.fork(), 'update installation set set_up_at = now()')
  await publishNewest(services)
}
// A running worker has loaded its modules in earlier rounds.
else await publishNewest(services)
clock.advanceProduct(daysAhead * DAY)
await payDueDays({ orm, clock, timeSources: clockTimeSources(clock) })
/** The processor's seconds of the server processes of this database, by process. */
async function readServerSeconds(): Promise<Map<number, number>> {
  const rows = await sql<{ pid: number }>(orm.em.fork(), 'select pid from pg_stat_activity where datname = current_database()')
  return new Map(
    rows.map(({ pid }) => {
      const [, fields = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      const [user, system] = fields.split(' ').slice(11, 13)
      return [pid, (Number(user) + Number(system)) / TICKS_PER_SECOND]
    }),
  )
}

const serverBefore = await readServerSeconds()
globalThis.gc?.()
const before = { memory: process.memoryUsage.rss(), cpu: process.cpuUsage(), at: performance.now() }
let peak = before.memory
const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
await publishNewest(services)
clearInterval(sampling)
const { user, system } = process.cpuUsage(before.cpu)
peak = Math.max(peak, process.memoryUsage.rss())
const seconds = (performance.now() - before.at) / 1_000
const server = [...(await readServerSeconds())].reduce((sum, [pid, spent]) => sum + spent - (serverBefore.get(pid) ?? 0), 0)
console.log(JSON.stringify({ cpu: (user + system) / 1e6, server, seconds, memory: peak - before.memory }))
await services.stop()
