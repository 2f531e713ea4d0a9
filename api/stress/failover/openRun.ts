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
import { Prober } from './Prober.ts'

export type FailoverWorld = World<Cluster>

export interface RunOptions {
  seed: number
  log: (line: string) => void
  /** Called with the started processes, so that an interrupted run can stop them. */
  onStart?: (world: FailoverWorld) => void
}

export interface Report {
  history: History
  figures: Record<string, number | string>
  /** What must not happen. Empty unless the product or the cluster has a bug. */
  failures: string[]
  /** The logs of the processes, kept if something failed. */
  folder: string | undefined
}

export interface OpenRun {
  world: FailoverWorld
  run: Run
  prober: Prober
  /** Ends the users' actions, and waits until the product has no work left. @returns what was wrong. */
  finish(): Promise<{ figures: Record<string, number>; failures: string[] }>
}

const HOLDERS = 4
const NODES_OF_HOLDERS = 1_000
/** Between two actions of one lane of users, in milliseconds. */
const PAUSE = { buyer: 2 * SECOND, holder: 4 * SECOND }
const LANES = { buyers: 2, holders: 2 }
const MIN_WITHDRAWAL = 3_000n * 10n ** 18n
const SETTLE_TIMEOUT = 300 * SECOND

/** Starts the cluster, the product and its users, runs `work`, and stops everything. The logs are kept if it fails. */
export async function openRun<R extends Pick<Report, 'failures'>>(
  { seed, purchases, log, onStart = () => {} }: RunOptions & { purchases: number },
  work: (open: OpenRun) => Promise<R>,
): Promise<R & Pick<Report, 'folder' | 'history'>> {
  log('Starting three PostgreSQL servers under Patroni, HAProxy, and the product …')
  const world = await startWorld({ seed, processes: { web: 2, worker: 2, watcher: 2 }, proxy: 'nginx' }, (folder) =>
    Cluster.start(folder),
  )
  onStart(world)
  let isKept = true
  try {
    await allRunning(world.members)
    const plan = makePurchases(seed, purchases)
    const users = await createUsers(world, { seed, purchases: plan }, { holders: HOLDERS })
    log(`Everything runs in ${world.folder}.`)
    const run: Run = { world, history: new History(), until: Number.POSITIVE_INFINITY }
    const prober = new Prober({ url: world.url, user: users.holders[0]!, soldAt: (time) => countSold(run.history, time) })
    const activity = { isOver: false }
    const actions = act(run, { plan, users, activity })
    prober.start()
    await delay(5 * SECOND)
    const report = await work({
      world,
      run,
      prober,
      async finish() {
        activity.isOver = true
        await prober.stop()
        log('Waiting until everything is settled …')
        run.until = Date.now() + SETTLE_TIMEOUT
        const unsettled = await settle(run, actions, log)
        const { differences, figures } = await checkHistory(run)
        const audit = await runAudit('', { DATA_DIR: world.folder }, '--all')
        log(`${audit.output.split('\n').filter((line) => line.startsWith('ok ')).length} checks of the audit agree.`)
        if (audit.code !== 0) log(audit.output)
        const crashes = world.members.flatMap((member) => member.crashes)
        const failures = [...crashes, ...unsettled, ...differences, ...(audit.code === 0 ? [] : ['The audit found differences.'])]
        return { figures, failures }
      },
    })
    isKept = report.failures.length > 0
    return { ...report, history: run.history, folder: isKept ? world.folder : undefined }
  } finally {
    await world.stop({ keepFolder: isKept })
  }
}

/** @returns whether it came true in time. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeout: number): Promise<boolean> {
  for (const deadline = Date.now() + timeout; Date.now() < deadline; await delay(250)) if (await isTrue()) return true
  return false
}

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
