import { buildPwa } from '../../dev/buildPwa.ts'
import { type Check, type Comparison, isMet } from './Comparison.ts'
import { measureColdStart } from './coldStart/measureColdStart.ts'
import { measureDailyRun } from './dailyRun/measureDailyRun.ts'
import { requireTools, ToolMissingError } from './findTool.ts'
import { printTable } from './printTable.ts'
import { measurePayouts } from './payouts/measurePayouts.ts'
import { measurePublicStats } from './publicStats/measurePublicStats.ts'
import { measureReservations } from './reservations/measureReservations.ts'
import { type Parts, startParts } from './startParts.ts'
import { killPrograms } from './startProgram.ts'
import { measureWatcher } from './watcher/measureWatcher.ts'

/**
 * Measures the product's hot paths beside something that does as little as can be done, on real parts, and prints one table of ratios:
 * figures of one machine say little on another, ratios of one run do. The subjects take turns, so that a busy moment meets both. Leaves
 * nothing behind.
 */
const measurements: ((parts: Parts) => Promise<(Comparison | Check)[]>)[] = [
  measureReservations,
  measurePublicStats,
  measureWatcher,
  measureDailyRun,
  measurePayouts,
  measureColdStart,
]

let parts: Parts | undefined
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    interrupted = true
    killPrograms()
    void Promise.resolve(parts?.stop()).finally(() => process.exit(130))
  })

try {
  requireTools()
  console.log('Measuring for some five minutes. Other work on this machine spoils the figures.')
  await buildPwa()
  parts = await startParts()
  const results: (Comparison | Check)[] = []
  for (const measure of measurements) results.push(...(await measure(parts)))
  printTable(results)
  if (!results.every(isMet)) process.exitCode = 1
} catch (error) {
  if (!interrupted) console.error(error instanceof ToolMissingError ? error.message : error)
  process.exitCode = 1
} finally {
  await parts?.stop()
}
