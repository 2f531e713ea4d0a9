import { parseArgs } from 'node:util'
import { buildPwa } from '#api/dev/buildPwa.ts'
import { buildServer } from '#api/dev/buildServer.ts'
import { measureAdminLists } from './adminLists/measureAdminLists.ts'
import { type Check, type Comparison, isMet } from './Comparison.ts'
import { measureColdStart } from './coldStart/measureColdStart.ts'
import { measureDailyRun } from './dailyRun/measureDailyRun.ts'
import { measureDust } from './dust/measureDust.ts'
import { measureExports } from './exports/measureExports.ts'
import { requireTools, type Tool, ToolMissingError } from '#api/testing/findTool.ts'
import { printTable } from './printTable.ts'
import { measureGrowth } from './growth/measureGrowth.ts'
import { measurePayouts } from './payouts/measurePayouts.ts'
import { measurePublicStats } from './publicStats/measurePublicStats.ts'
import { measureRegister } from './register/measureRegister.ts'
import { measureReservations } from './reservations/measureReservations.ts'
import { type Parts, startParts } from './startParts.ts'
import { createProgress } from '#api/platform/log/createProgress.ts'
import { SECOND } from '#shared/dates.ts'
import { killPrograms } from './startProgram.ts'
import { measureWatcher } from './watcher/measureWatcher.ts'

/**
 * Measures the product's hot paths and minimal implementations with real dependencies, and prints one table of ratios, which are comparable
 * between machines. The product and its comparison alternate, so that a busy moment affects both. Leaves no files or processes.
 *
 * `npm run bench -- lists exports` measures only these, `--quick` uses a tenth of the rows where there are millions, and `--rows 1000000`
 * sets the rows of the ledger that `growth` ends with.
 */
const measurements: Record<
  string,
  (parts: Parts, options: { quick: boolean; rows: number | undefined }) => Promise<(Comparison | Check)[]>
> = {
  reservations: (parts) => measureReservations(parts),
  stats: (parts) => measurePublicStats(parts),
  // Here the database has what it has at the end of a sale, and not the million nodes of `rewards`, which the first answer counts.
  start: (parts) => measureColdStart(parts),
  watcher: (parts) => measureWatcher(parts),
  dust: (parts) => measureDust(parts),
  rewards: (parts) => measureDailyRun(parts),
  register: (parts) => measureRegister(parts),
  payouts: (parts) => measurePayouts(parts),
  exports: measureExports,
  lists: measureAdminLists,
  growth: measureGrowth,
}

/** The programs that a measurement compares the product with, or that send its requests. */
const tools: Record<string, Tool> = { reservations: 'pgbench', stats: 'wrk', rewards: 'psql' }

const { values, positionals: requested } = readArguments()
const unknown = requested.filter((name) => !Object.hasOwn(measurements, name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Available: ${Object.keys(measurements).join(', ')}.`)
  process.exit(2)
}
const chosen = Object.entries(measurements).filter(([name]) => requested.length === 0 || requested.includes(name))

const progress = createProgress()
let parts: Parts | undefined
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    interrupted = true
    killPrograms()
    void Promise.resolve(parts?.stop()).finally(() => process.exit(130))
  })

try {
  requireTools(...chosen.flatMap(([name]) => tools[name] ?? []))
  console.log('This takes up to fifteen minutes. Other work on this machine distorts the results.')
  await buildPwa(progress.show)
  await buildServer()
  progress.end()
  parts = await startParts()
  const results: (Comparison | Check)[] = []
  for (const [index, [name, measure]] of chosen.entries()) {
    const begun = performance.now()
    console.log(`${index + 1} of ${chosen.length}: ${name} …`)
    const timer = setInterval(() => progress.show(name, index + 1, chosen.length), SECOND)
    try {
      results.push(...(await measure(parts, values)))
    } catch (error) {
      if (interrupted) break
      // The others are measured all the same.
      console.error(`${name} failed:`, error)
      process.exitCode = 1
    } finally {
      clearInterval(timer)
    }
    progress.end()
    console.log(`${index + 1} of ${chosen.length}: ${name} took ${Math.round((performance.now() - begun) / SECOND)} s`)
  }
  printTable(results)
  if (!results.every(isMet)) process.exitCode = 1
} catch (error) {
  if (!interrupted) console.error(error instanceof ToolMissingError ? error.message : error)
  process.exitCode = 1
} finally {
  await parts?.stop()
}

function readArguments() {
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, rows: { type: 'string' } },
    allowPositionals: true,
  })
  return { values: { quick: values.quick, rows: values.rows === undefined ? undefined : Number(values.rows) }, positionals }
}
