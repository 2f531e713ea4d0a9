import { parseArgs } from 'node:util'
import { requireTools, ToolMissingError } from '#api/testing/findTool.ts'
import { type FaultKind, otherFaults, primaryFaults } from './faults.ts'
import { printReport } from './printReport.ts'
import { runFailover } from './runFailover.ts'

const HELP = `npm run failover -- [--faults 20] [--seed 1] [--only frozen]

Runs the product on three PostgreSQL servers under Patroni and takes the primary away again and again, while users buy and withdraw. Exits
with 1 if anything that was acknowledged is lost, or if writes take too long to work again. Needs root, for networks that can be cut.

  --faults  how often the primary is taken away; 8 take about ten minutes
  --seed    determines the order of the faults
  --only    one kind of fault: ${[...primaryFaults, ...otherFaults].join(', ')}`

const { values } = parseArgs({
  options: { faults: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
})
const faults = Number(values.faults ?? 20)
const seed = Number(values.seed ?? 1)
const only = [...primaryFaults, ...otherFaults].find((kind) => kind === values.only)
if (values.help || !Number.isInteger(faults) || faults < 1 || !Number.isInteger(seed) || (values.only !== undefined && !only)) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}
const startedAt = Date.now()
const log = (text: string) => console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${text}`)
try {
  requireTools('patroni', 'etcd', 'haproxy', 'nginx', 'psql', 'openssl', 'ip')
  if (process.getuid?.() !== 0)
    throw new ToolMissingError('This needs root, to create networks that can be cut and disks that can be filled.')
  const report = await runFailover({
    seed,
    faults,
    only: only as FaultKind | undefined,
    log,
    onStart(world) {
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => void world.stop().finally(() => process.exit(130)))
    },
  })
  printReport(report)
  process.exitCode = report.failures.length === 0 ? 0 : 1
} catch (error) {
  console.error(error instanceof ToolMissingError ? error.message : error)
  process.exitCode = 1
}
