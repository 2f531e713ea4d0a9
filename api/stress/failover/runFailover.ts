import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { runAudit } from '#api/testing/runAudit.ts'
import { checkHistory } from '../chaos/checkHistory.ts'
import { createRandom } from '../chaos/createRandom.ts'
import { type ChaosUsers, createUsers } from '../chaos/createUsers.ts'
import { History } from '../chaos/History.ts'
import type { PlannedPurchase, PlannedWithdrawal } from '../chaos/makePlan.ts'
import { allRunning } from '../chaos/Member.ts'
import type { Run } from '../chaos/Run.ts'
import { runPurchase, runWithdrawal } from '../chaos/runActions.ts'
import { settle } from '../chaos/settle.ts'
import { startWorld, type World } from '../chaos/startWorld.ts'
import { Cluster } from './Cluster.ts'
import { type FaultKind, injectFault, otherFaults, primaryFaults, takesPrimary } from './faults.ts'
import { Prober } from './Prober.ts'

export interface FailoverOptions {
  seed: number
  /** How often the primary is taken away. */
  faults: number
  /** Only this kind of fault. */
  only?: FaultKind | undefined
  log: (line: string) => void
  /** Called with the started processes, so that an interrupted run can stop them. */
  onStart?: (world: FailoverWorld) => void
}

export type FailoverWorld = World<Cluster>

export interface FaultResult {
  kind: FaultKind
  /** Milliseconds until writes worked again. */
  recovery: number
}

export interface FailoverReport {
  results: FaultResult[]
  history: History
  figures: Record<string, number>
  /** What must not happen. Empty unless the product or the cluster has a bug. */
  failures: string[]
  /** The logs of the processes, kept if something failed. */
  folder: string | undefined
}

const HOLDERS = 4
/** Seconds between two actions of one lane of users. */
const PAUSE = { buyer: 2 * SECOND, holder: 4 * SECOND }
const LANES = { buyers: 2, holders: 2 }
/** More than one fault takes, in purchases. */
const PURCHASES_PER_FAULT = 45

/** A longer outage is a failure, in milliseconds. */
export const MAX_RECOVERY = 45 * SECOND
export const MAX_MEDIAN_RECOVERY = 30 * SECOND
/** A longer wait for an answer is a hang. */
const MAX_WAIT = 20 * SECOND
/** How long a fault is watched at least: some begin late. */
const MIN_WATCH = 12 * SECOND
const MAX_WATCH = 120 * SECOND
/** After writes work again, in milliseconds. */
const RETURN_TIMEOUT = 45 * SECOND
const SETTLE_TIMEOUT = 300 * SECOND
/** The roles that one process leads, with epochs. */
const LED = ['watcher', 'payouts'] as const

/** Takes the primary away again and again while users buy and withdraw, and then compares the result with their actions. */
export async function runFailover({ seed, faults, only, log, onStart = () => {} }: FailoverOptions): Promise<FailoverReport> {
  log('Starting three PostgreSQL servers under Patroni, HAProxy, and the product …')
  const world = await startWorld({ seed, processes: { web: 2, worker: 2, watcher: 2 }, proxy: 'nginx' }, (folder) =>
    Cluster.start(folder),
  )
  onStart(world)
  let isKept = true
  try {
    await allRunning(world.members)
    const plan = makePurchases(seed, faults * PURCHASES_PER_FAULT)
    const users = await createUsers(world, { seed, purchases: plan }, { holders: HOLDERS })
    await createFencedWrites(world.database)
    log(`Everything runs in ${world.folder}.`)

    const run: Run = { world, history: new History(), until: Number.POSITIVE_INFINITY }
    const prober = new Prober({ url: world.url, user: users.holders[0]!, soldAt: (time) => countSold(run.history, time) })
    const activity = { isOver: false }
    const actions = act(run, { plan, users, activity })
    prober.start()
    await delay(5 * SECOND)
    const results: FaultResult[] = []
    const failures: string[] = []
    const kinds = chooseKinds({ seed, faults, only })
    for (const [index, kind] of kinds.entries()) {
      const { recovery, problems } = await watchFault(world, prober, { kind, id: String(index) })
      results.push({ kind, recovery })
      failures.push(...problems.map((problem) => `${index + 1}. ${kind}: ${problem}`))
      log(
        `${String(index + 1).padStart(3)}/${kinds.length}  ${kind.padEnd(18)} writes work after ${(recovery / SECOND).toFixed(1)} s`,
      )
      for (const problem of problems) log(`         ${problem}`)
    }
    activity.isOver = true
    await prober.stop()
    log('All faults have ended. Waiting until everything is settled …')
    run.until = Date.now() + SETTLE_TIMEOUT
    const unsettled = await settle(run, actions, log)
    const { differences, figures } = await checkHistory(run)
    const audit = await runAudit('', { DATA_DIR: world.folder }, '--all')
    log(audit.output)
    failures.push(
      ...prober.faults,
      ...judgeAnswers(run.history),
      ...judgeRecovery(results),
      ...world.members.flatMap(({ crashes }) => crashes),
      ...unsettled,
      ...differences,
      ...(audit.code === 0 ? [] : ['The audit found differences.']),
    )
    isKept = failures.length > 0
    return {
      results,
      history: run.history,
      figures: { ...figures, 'greatest age of the public figures, s': prober.oldestFigures },
      failures,
      folder: isKept ? world.folder : undefined,
    }
  } finally {
    await world.stop({ keepFolder: isKept })
  }
}

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
  if (!(await until(isOver, MAX_WATCH))) problems.push('writes do not work again.')
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

/** @returns whether it came true in time. */
async function until(isTrue: () => boolean | Promise<boolean>, timeout: number): Promise<boolean> {
  for (const deadline = Date.now() + timeout; Date.now() < deadline; await delay(250)) if (await isTrue()) return true
  return false
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

/** In the database `postgres`, so that the product's role has nothing to do with it. */
async function createFencedWrites(cluster: Cluster): Promise<void> {
  await cluster.query('create table fenced_writes (id text primary key)')
}

async function readEpochs(cluster: Cluster): Promise<Map<string, number>> {
  const rows = await cluster.query<{ role: string; epoch: number }>('select role, epoch::int from leaderships')
  return new Map(rows.map(({ role, epoch }) => [role, epoch]))
}

/** The processes that listen to changes. */
async function countListeners(cluster: Cluster): Promise<number> {
  const [row] = await cluster.query<{ count: number }>(
    `select count(distinct application_name)::int as count from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
  )
  return row!.count
}

const NODES_OF_HOLDERS = 1_000

/** The nodes that were sold or held for certain at a time: nothing in the plan gives any back. */
const countSold = ({ purchases }: History, time: number): number =>
  HOLDERS * NODES_OF_HOLDERS +
  purchases.reduce((sum, { reservedAt, plan }) => sum + (reservedAt !== undefined && reservedAt <= time ? plan.quantity : 0), 0)

function makePurchases(seed: number, count: number): PlannedPurchase[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => ({
    at: 0,
    kind: random.oneOf(['reported', 'unreported', 'reportedLate'] as const),
    quantity: random.between(1, 9),
    seed: random.between(0, 2 ** 31 - 1),
  }))
}

const MIN_WITHDRAWAL = 3_000n * 10n ** 18n

interface Acting {
  plan: readonly PlannedPurchase[]
  users: ChaosUsers
  activity: { isOver: boolean }
}

/** Users who buy and withdraw one after the other until the run is over. */
async function act(run: Run, { plan, users, activity }: Acting): Promise<void> {
  let purchases = 0
  let withdrawals = 0
  const buyers = Array.from({ length: LANES.buyers }, async () => {
    for (; !activity.isOver && purchases < plan.length; await delay(PAUSE.buyer)) {
      const index = purchases++
      await runPurchase(run, { planned: plan[index]!, buyer: users.buyers[index]!, stranger: users.strangers[index]! })
    }
  })
  const holders = Array.from({ length: LANES.holders }, async () => {
    for (; !activity.isOver; await delay(PAUSE.holder)) {
      const index = withdrawals++
      const planned: PlannedWithdrawal = {
        at: 0,
        holder: index % HOLDERS,
        // Unique, so that its transfer on the chain can be identified.
        amount: MIN_WITHDRAWAL + BigInt(index) * 10n ** 15n,
        isRepeated: index % 4 === 1,
        isCancelled: false,
      }
      await runWithdrawal(run, { planned, holder: users.holders[planned.holder]! })
    }
  })
  await Promise.all([...buyers, ...holders])
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
