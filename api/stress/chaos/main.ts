import { parseArgs } from 'node:util'
import { requireTools, ToolMissingError } from '#api/testing/findTool.ts'
import { createProgress } from '#api/platform/log/createProgress.ts'
import { printReport } from './printReport.ts'
import { runChaos } from './runChaos.ts'

/**
 * `npm run chaos -- --seconds 600 --seed 1`: runs several processes of each role behind nginx, with users who buy and withdraw during faults
 * of every kind. Then compares all payments with the chains. Exits with 1 if any was lost or made twice. The same seed gives the same plan.
 */
const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } })
const seconds = Number(values.seconds ?? 600)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
if (!Number.isInteger(seconds) || seconds < 10 || !Number.isInteger(seed) || seed < 0) {
  console.error('Usage: npm run chaos -- [--seconds 600] [--seed 1]')
  process.exit(2)
}
const progress = createProgress()
try {
  requireTools('nginx')
  console.log(`Seed ${seed}, ${seconds} seconds.`)
  const report = await runChaos({
    seed,
    seconds,
    processes: { web: 3, worker: 2, watcher: 2 },
    proxy: 'nginx',
    smallDisks: true,
    log(line) {
      progress.end()
      console.log(line)
    },
    onProgress: (text, second, of) => progress.show(text, Math.round(second), of),
    onStart(world) {
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => void world.stop().finally(() => process.exit(130)))
    },
  })
  progress.end()
  printReport(report)
  process.exitCode = report.losses.length === 0 ? 0 : 1
} catch (error) {
  console.error(error instanceof ToolMissingError ? error.message : error)
  process.exitCode = 1
}
