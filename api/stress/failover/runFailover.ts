import { SECOND } from '#shared/dates.ts'
import { createRandom } from '../chaos/createRandom.ts'
import type { History } from '../chaos/History.ts'
import type { Cluster } from './Cluster.ts'
import { type FaultKind, injectFault, otherFaults, primaryFaults, takesPrimary } from './faults.ts'
import { type FailoverWorld, openRun, type Report, type RunOptions, until } from './openRun.ts'
import type { Prober } from './Prober.ts'

export interface FailoverOptions extends RunOptions {
  /** How often the primary is taken away. */
  faults: number
  /** Only this kind of fault. */
  only?: FaultKind | undefined
}

export interface FaultResult {
  kind: FaultKind
  /** Milliseconds until writes worked again. */
  recovery: number
}

export interface FailoverReport extends Report {
  results: FaultResult[]
}

/** More than one fault takes, in purchases. */
const PURCHASES_PER_FAULT = 45
/** A longer outage is a failure, in milliseconds. */
const MAX_RECOVERY = 45 * SECOND
const MAX_MEDIAN_RECOVERY = 30 * SECOND
/** A longer wait for an answer is a hang. */
const MAX_WAIT = 20 * SECOND
/** How long a fault is watched at least: some begin late. */
const MIN_WATCH = 12 * SECOND
const MAX_WATCH = 120 * SECOND
/** After writes work again, in milliseconds. */
const RETURN_TIMEOUT = 45 * SECOND
/** The roles that one process leads, with epochs. */
const LED = ['watcher', 'payouts'] as const

/** Takes the primary away again and again while users buy and withdraw, and then compares the result with their actions. */
export const runFailover = ({ seed, faults, only, log, ...options }: FailoverOptions): Promise<FailoverReport> =>
  openRun({ ...options, seed, log, purchases: faults * PURCHASES_PER_FAULT }, async ({ world, run, prober, finish }) => {
    await world.database.query('create table fenced_writes (id text primary key)')
    const results: FaultResult[] = []
    const problems: string[] = []
    const kinds = chooseKinds({ seed, faults, only })
    for (const [index, kind] of kinds.entries()) {
      const watched = await watchFault(world, prober, { kind, id: String(index) })
      results.push({ kind, recovery: watched.recovery })
      problems.push(...watched.problems.map((problem) => `${index + 1}. ${kind}: ${problem}`))
      const after = `writes work after ${(watched.recovery / SECOND).toFixed(1)} s`
      log(`${String(index + 1).padStart(3)}/${kinds.length}  ${kind.padEnd(18)} ${after}`)
      for (const problem of watched.problems) log(`         ${problem}`)
    }
    log('All faults have ended.')
    const { figures, failures } = await finish()
    return {
      results,
      figures: { ...figures, 'greatest age of the public figures, s': prober.oldestFigures },
      failures: [...problems, ...prober.faults, ...judgeAnswers(run.history), ...judgeRecovery(results), ...failures],
    }
  })

interface Watched {
  recovery: number
  problems: string[]
}

/** Injects a fault into the whole cluster, waits until writes work, ends it, and waits until the cluster is whole. */
async function watchFault(world: FailoverWorld, prober: Prober, { kind, id }: { kind: FaultKind; id: string }): Promise<Watched> {
  const { database: cluster } = world
  const problems: string[] = []
  await cluster.waitUntilWhole()
  await until(() => prober.works(3 * SECOND), MAX_WATCH)
  const before = { primary: await cluster.findPrimary(), epochs: await readEpochs(cluster) }
  const time = Date.now()
  const fault = await injectFault(cluster, kind, id)
  const isOver = async () => {
    if (Date.now() - time < MIN_WATCH || !prober.works(3 * SECOND)) return false
    return !takesPrimary(kind) || (await cluster.findPrimary())?.name !== before.primary?.name
  }
  if (!(await until(isOver, MAX_WATCH))) problems.push('writes do not work again, or the primary has not changed.')
  const recovery = prober.recoveryAfter(time)

  if (takesPrimary(kind)) {
    const isLed = async () => {
      const epochs = await readEpochs(cluster).catch(() => before.epochs)
      return LED.every((role) => epochs.get(role)! > before.epochs.get(role)!)
    }
    if (!(await until(isLed, RETURN_TIMEOUT))) problems.push('leadership did not move to a later epoch.')
    const listens = async () => (await countListeners(cluster).catch(() => 0)) >= world.members.length
    if (!(await until(listens, RETURN_TIMEOUT)))
      problems.push(`${await countListeners(cluster)} of ${world.members.length} processes listen again.`)
  }

  const writes = await fault.end()
  await cluster.waitUntilWhole().catch((error: Error) => problems.push(error.message))
  for (const write of writes) {
    const [row] = await cluster.query('select from fenced_writes where id = $1', [write.id])
    if (row) problems.push('a write on the old primary is in the cluster.')
    else if (write.isAcknowledged) problems.push('the old primary acknowledged a write that is lost.')
  }
  return { recovery, problems }
}

/** Each kind in turn, in an order that the seed determines, and the other faults in between. */
function chooseKinds({ seed, faults, only }: Pick<FailoverOptions, 'seed' | 'faults' | 'only'>): FaultKind[] {
  if (only) return Array.from({ length: faults }, () => only)
  const random = createRandom(seed)
  const kinds: FaultKind[] = []
  while (kinds.length < faults) kinds.push(...random.shuffle(primaryFaults))
  kinds.length = faults
  for (const [index, kind] of otherFaults.entries()) kinds.splice(Math.min(kinds.length, 2 + 3 * index), 0, kind)
  return kinds
}

async function readEpochs(cluster: Cluster): Promise<Map<string, number>> {
  const rows = await cluster.query<{ role: string; epoch: number }>('select role, epoch::int from leaderships')
  return new Map(rows.map(({ role, epoch }) => [role, epoch]))
}

/** The processes that listen to changes. */
async function countListeners(cluster: Cluster): Promise<number> {
  const [row] = await cluster.query<{ count: number }>(
    `select count(distinct application_name)::int as count from pg_stat_activity
     where datname = current_database() and query ilike 'listen %'`,
  )
  return row!.count
}

function judgeAnswers({ answers, longestWait }: History): string[] {
  const allowed = ['2xx', '503', '409']
  const odd = [...answers].filter(([status]) => !allowed.includes(status))
  return [
    ...odd.map(([status, count]) => `${count} requests were answered with ${status}.`),
    ...(longestWait > MAX_WAIT ? [`An answer took ${longestWait} ms.`] : []),
  ]
}

function judgeRecovery(results: readonly FaultResult[]): string[] {
  const times = results.map(({ recovery }) => recovery)
  const worst = Math.max(...times)
  return [
    ...(medianOf(times) > MAX_MEDIAN_RECOVERY ? [`The median recovery took ${medianOf(times)} ms.`] : []),
    ...(worst > MAX_RECOVERY ? [`The longest recovery took ${worst} ms.`] : []),
  ]
}

export const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
