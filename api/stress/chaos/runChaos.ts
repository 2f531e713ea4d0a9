import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { History } from './History.ts'
import { checkHistory } from './checkHistory.ts'
import { DatabaseServer } from './DatabaseServer.ts'
import { type ChaosRun, type ChaosWorld, injectFault, type EndFault } from './injectFault.ts'
import { type FaultKind, faultKinds, makePlan, type Plan } from './makePlan.ts'
import { allRunning } from './Member.ts'
import type { Run } from './Run.ts'
import { createUsers, type ChaosUsers } from './createUsers.ts'
import { settle } from './settle.ts'
import { startWorld, type WorldOptions } from './startWorld.ts'
import { runPurchase, runWithdrawal } from './runActions.ts'
import { runAudit } from '#api/testing/runAudit.ts'

export interface ChaosOptions extends WorldOptions {
  smallDisks: boolean
  /** The duration of the faults, without starting and settling. */
  seconds: number
  log?: (line: string) => void
  /** Called every second of the faults. */
  onProgress?: (text: string, seconds: number, of: number) => void
  /** Called with the started processes, so that an interrupted run can stop them. */
  onStart?: (world: ChaosWorld) => void
}

export interface ChaosReport {
  plan: Plan
  faults: Map<FaultKind, number>
  /** Faults that are impossible on this machine. */
  untried: FaultKind[]
  history: History
  figures: Record<string, number>
  /** Payments that were lost, made twice, or are not explained. Empty unless the product has a bug. */
  losses: string[]
  /** The logs of the processes, kept if there are losses or an answer was 500. */
  folder: string | undefined
}

const HOLDERS = 6
/** In milliseconds. */
const SETTLE_TIMEOUT = 300 * SECOND

/** Runs users who buy and withdraw during faults, and then compares the result with their actions. */
export async function runChaos({
  log = () => {},
  onStart = () => {},
  onProgress = () => {},
  ...options
}: ChaosOptions): Promise<ChaosReport> {
  const world = await startWorld(options, (folder) => DatabaseServer.start(folder, options))
  onStart(world)
  let isKept = true
  try {
    const untried: FaultKind[] = world.database.tableDisk ? [] : ['tableSpaceFull', 'walFull']
    const kinds = faultKinds.filter((kind) => !untried.includes(kind))
    const plan = makePlan({ ...options, holders: HOLDERS, kinds })
    await allRunning(world.members)
    const users = await createUsers(world, plan, { holders: HOLDERS })
    log(`All processes are running in ${world.folder}. ${plan.faults.length} faults are planned.`)

    const run: ChaosRun = { world, history: new History(), until: Number.POSITIVE_INFINITY }
    const failures: string[] = []
    const begun = Date.now()
    const telling = setInterval(
      () => onProgress(describeRun(run.history), (Date.now() - begun) / SECOND, options.seconds),
      SECOND,
    )
    const actions = runActions(run, { plan, users, begun })
    const faults = await injectFaults(run, { plan, begun, log, failures }).finally(() => clearInterval(telling))
    log('All faults have ended. Waiting until everything is settled …')
    run.until = Date.now() + SETTLE_TIMEOUT
    const unsettled = await settle(run, actions, log)
    const { differences, figures } = await checkHistory(run)
    const audit = await runAudit('', { DATA_DIR: world.folder }, '--all')
    const losses = [
      ...failures,
      ...world.members.flatMap(({ crashes }) => crashes),
      ...unsettled,
      ...differences,
      ...(audit.code === 0 ? [] : [`The audit found differences:\n${audit.output}`]),
    ]
    log(audit.output)
    isKept = losses.length > 0 || run.history.answers.has('500')
    return { plan, faults, untried, history: run.history, figures, losses, folder: isKept ? world.folder : undefined }
  } finally {
    await world.stop({ keepFolder: isKept })
  }
}

function describeRun({ purchases, withdrawals }: History): string {
  const count = (records: readonly { isDone: boolean }[]) =>
    `${records.filter(({ isDone }) => isDone).length} of ${records.length}`
  return `${count(purchases)} purchases and ${count(withdrawals)} withdrawals begun are done, seconds of faults`
}

/** Runs the planned purchases and withdrawals at their times. */
async function runActions(run: Run, { plan, users, begun }: { plan: Plan; users: ChaosUsers; begun: number }): Promise<void> {
  const at = (time: number) => delay(Math.max(0, begun + time - Date.now()))
  await Promise.all([
    ...plan.purchases.map(async (planned, index) => {
      await at(planned.at)
      await runPurchase(run, { planned, buyer: users.buyers[index]!, stranger: users.strangers[index]! })
    }),
    ...plan.withdrawals.map(async (planned) => {
      await at(planned.at)
      await runWithdrawal(run, { planned, holder: users.holders[planned.holder]! })
    }),
  ])
}

interface FaultContext {
  plan: Plan
  begun: number
  log: (line: string) => void
  failures: string[]
}

/** Injects the planned faults at their times, and ends all of them when the time is over. Returns the number of each kind. */
async function injectFaults(run: ChaosRun, { plan, begun, log, failures }: FaultContext): Promise<Map<FaultKind, number>> {
  const counts = new Map<FaultKind, number>()
  const running: Promise<void>[] = []
  const over = begun + plan.seconds * SECOND
  for (const fault of plan.faults) {
    await delay(Math.max(0, begun + fault.at - Date.now()))
    // The machine is too busy to keep to the plan.
    if (Date.now() > over) break
    counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1)
    log(`${((Date.now() - begun) / SECOND).toFixed(1).padStart(6)} s  ${fault.kind}`)
    running.push(
      (async () => {
        const endFault: EndFault = await injectFault(run, fault)
        await delay(Math.max(0, Math.min(begun + fault.at + fault.lasts, over) - Date.now()))
        await endFault()
      })().catch((error: unknown) => void failures.push(`The fault ${fault.kind} could not be injected: ${String(error)}`)),
    )
  }
  await Promise.all(running)
  await delay(Math.max(0, over - Date.now()))
  return counts
}
