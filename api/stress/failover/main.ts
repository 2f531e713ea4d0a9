import { parseArgs } from 'node:util'
import { requireTools, ToolMissingError } from '#api/testing/findTool.ts'
import { otherFaults, primaryFaults } from './faults.ts'
import type { RunOptions } from './openRun.ts'
import { printRecovery, printReport } from './printReport.ts'
import { runFailover } from './runFailover.ts'
import { runLoss } from './runLoss.ts'
import { runPointInTime } from './runPointInTime.ts'

const kinds = [...primaryFaults, ...otherFaults]
const HELP = `npm run failover -- [--faults 20] [--seed 1] [--only frozen] | --async | --point-in-time

Runs the product on three PostgreSQL servers under Patroni and takes the primary away again and again, while users buy and withdraw. Exits
with 1 if anything that was acknowledged is lost, or if writes take too long to work again. Needs root, for networks that can be cut.

  --faults         how often the primary is taken away
  --seed           determines the order of the faults
  --only           one kind of fault: ${kinds.join(', ')}
  --async          loses a primary whose commits were confirmed by no standby, and tells what is lost
  --point-in-time  restores the database to a chosen second from a base backup and the archived log`

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    async: { type: 'boolean', default: false },
    'point-in-time': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [faults, seed] = [Number(values.faults), Number(values.seed)]
const only = kinds.find((kind) => kind === values.only)
const isValid =
  Number.isInteger(faults) && faults > 0 && Number.isInteger(seed) && (values.only === undefined || only !== undefined)
if (values.help || !isValid) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}
const startedAt = Date.now()
const options: RunOptions = {
  seed,
  log: (text) => console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${text}`),
  onStart(world) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => void world.stop().finally(() => process.exit(130)))
  },
}
try {
  requireTools('patroni', 'etcd', 'haproxy', 'nginx', 'psql', 'openssl', 'ip')
  if (process.getuid?.() !== 0)
    throw new ToolMissingError('This needs root, to create networks that can be cut and disks that can be filled.')
  const succeeded = await run()
  // Nothing that is left may keep an ended run.
  process.exit(succeeded ? 0 : 1)
} catch (error) {
  console.error(error instanceof ToolMissingError ? error.message : error)
  process.exit(1)
}

/** @returns whether nothing failed. */
async function run(): Promise<boolean> {
  if (values.async) {
    const report = await runLoss(options)
    printReport(report, 'Nothing was paid twice.')
    return report.failures.length === 0
  }
  if (values['point-in-time']) {
    const report = await runPointInTime(options)
    printReport(report, 'Everything before the chosen second is there, and nothing was paid twice.')
    return report.failures.length === 0
  }
  const report = await runFailover({ ...options, faults, only })
  printRecovery(report.results)
  printReport(report, 'Nothing that was acknowledged is lost.')
  return report.failures.length === 0
}
