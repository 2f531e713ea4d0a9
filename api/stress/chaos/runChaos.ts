import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { Book } from './Book.ts'
import { buy } from './buy.ts'
import { checkBook } from './checkBook.ts'
import { injectFault, type Lift } from './injectFault.ts'
import { type FaultKind, faultKinds, makePlan, type Plan } from './makePlan.ts'
import type { Run } from './Run.ts'
import { makePeople, type People } from './makePeople.ts'
import { settle } from './settle.ts'
import { startWorld, type World, type WorldOptions } from './startWorld.ts'
import { withdraw } from './withdraw.ts'
import { runAudit } from '#api/testing/runAudit.ts'

export interface ChaosOptions extends WorldOptions {
  /** How long faults strike; starting and settling come on top. */
  seconds: number
  log?: (line: string) => void
  /** Told of what was started, to end it when the run is interrupted. */
  onStart?: (world: World) => void
}

export interface ChaosReport {
  plan: Plan
  faults: Map<FaultKind, number>
  /** Faults that this machine does not allow. */
  untried: FaultKind[]
  book: Book
  figures: Record<string, number>
  /** What was lost, paid twice, or is not explained. Empty, or the product is broken. */
  losses: string[]
  /** Where the logs of the processes are, if anything was lost or somebody was answered that something is wrong on our side. */
  folder: string | undefined
}

const HOLDERS = 6
const SETTLED_WITHIN = 300 * SECOND

/** Lets people buy and withdraw while everything breaks that can, and then holds what became of it against what they have done. */
export async function runChaos({ log = () => {}, onStart = () => {}, ...options }: ChaosOptions): Promise<ChaosReport> {
  const world = await startWorld(options)
  onStart(world)
  let isKept = true
  try {
    const untried: FaultKind[] = world.database.tableDisk ? [] : ['tableSpaceFull', 'walFull']
    const kinds = faultKinds.filter((kind) => !untried.includes(kind))
    const plan = makePlan({ ...options, holders: HOLDERS, kinds })
    await allRunning(world)
    const people = await makePeople(world, plan, { holders: HOLDERS })
    log(`Everything runs, in ${world.folder}. ${plan.faults.length} faults are planned.`)

    const run: Run = { world, book: new Book(), until: Number.POSITIVE_INFINITY }
    const failures: string[] = []
    const begun = Date.now()
    const deeds = startDeeds(run, { plan, people, begun })
    const faults = await strike(run, { plan, begun, log, failures })
    log('The faults are over. Everything is to settle.')
    run.until = Date.now() + SETTLED_WITHIN
    const unsettled = await settle(run, deeds, log)
    const { differences, figures } = await checkBook(run)
    const audit = await runAudit('', { DATA_DIR: world.folder }, '--all')
    const losses = [
      ...failures,
      ...world.members.flatMap(({ deaths }) => deaths),
      ...unsettled,
      ...differences,
      ...(audit.code === 0 ? [] : [`The audit found:\n${audit.output}`]),
    ]
    log(audit.output)
    isKept = losses.length > 0 || run.book.answers.has('500')
    return { plan, faults, untried, book: run.book, figures, losses, folder: isKept ? world.folder : undefined }
  } finally {
    await world.stop({ keepFolder: isKept })
  }
}

async function allRunning({ members }: World): Promise<void> {
  const deadline = Date.now() + 60 * SECOND
  while (!members.every(({ isRunning }) => isRunning)) {
    if (Date.now() > deadline) throw new Error('Not every process has come up within a minute.')
    await delay(50)
  }
}

/** Everybody acts at the planned times. Answers once all are done. */
async function startDeeds(run: Run, { plan, people, begun }: { plan: Plan; people: People; begun: number }): Promise<void> {
  const at = (time: number) => delay(Math.max(0, begun + time - Date.now()))
  await Promise.all([
    ...plan.purchases.map(async (planned, index) => {
      const buyer = people.buyers[index]!
      const stranger = people.strangers[index]!
      await at(planned.at)
      const isStranger = planned.kind === 'paidByStranger'
      const wallet = (isStranger ? stranger : buyer.wallet).address.toLowerCase() as `0x${string}`
      const story = {
        plan: planned,
        userId: isStranger ? null : buyer.userId,
        wallet,
        transfers: [],
        purchaseIds: new Set<string>(),
        isDone: false,
        refused: undefined,
        begunAt: Date.now(),
      }
      run.book.purchases.push(story)
      await buy(run, { buyer, stranger, story })
      Object.assign(story, { endedAt: Date.now() })
    }),
    ...plan.withdrawals.map(async (planned) => {
      const holder = people.holders[planned.holder]!
      await at(planned.at)
      const wallet = holder.wallet.address.toLowerCase() as `0x${string}`
      const story = {
        plan: planned,
        userId: holder.userId,
        wallet,
        ids: new Set<string>(),
        isDone: false,
        refused: undefined,
        begunAt: Date.now(),
      }
      run.book.withdrawals.push(story)
      await withdraw(run, { holder, story })
      Object.assign(story, { endedAt: Date.now() })
    }),
  ])
}

interface Striking {
  plan: Plan
  begun: number
  log: (line: string) => void
  failures: string[]
}

/** Injects the planned faults at their times, and ends all of them when the time is over. Answers how many of each struck. */
async function strike(run: Run, { plan, begun, log, failures }: Striking): Promise<Map<FaultKind, number>> {
  const counts = new Map<FaultKind, number>()
  const striking: Promise<void>[] = []
  const over = begun + plan.seconds * SECOND
  for (const fault of plan.faults) {
    await delay(Math.max(0, begun + fault.at - Date.now()))
    // A machine that is too busy to keep to the plan.
    if (Date.now() > over) break
    counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1)
    log(`${((Date.now() - begun) / SECOND).toFixed(1).padStart(6)} s  ${fault.kind}`)
    striking.push(
      (async () => {
        const lift: Lift = await injectFault(run, fault)
        await delay(Math.max(0, Math.min(begun + fault.at + fault.lasts, over) - Date.now()))
        await lift()
      })().catch((error: unknown) => void failures.push(`The fault ${fault.kind} could not be injected: ${String(error)}`)),
    )
  }
  await Promise.all(striking)
  await delay(Math.max(0, over - Date.now()))
  return counts
}
