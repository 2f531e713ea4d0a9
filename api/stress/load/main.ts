import { parseArgs } from 'node:util'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildPwa } from '#api/dev/buildPwa.ts'
import { buildServer } from '#api/dev/buildServer.ts'
import { isMet, type Check, type Comparison } from '../bench/Comparison.ts'
import { requireTools, ToolMissingError } from '#api/testing/findTool.ts'
import { createProgress } from '#api/platform/log/createProgress.ts'
import { printTable } from '../bench/printTable.ts'
import { prepareBuyers, resetSale } from '../bench/reservations/prepareBuyers.ts'
import { killPrograms, startProgram } from '../bench/startProgram.ts'
import { runAudit } from '#api/testing/runAudit.ts'
import { judge, SPARE_DESCRIPTORS } from './judge.ts'
import type { LoadPlan, LoadReport } from './LoadPlan.ts'
import { readOrder } from './readOrder.ts'
import { payReservations } from './payReservations.ts'
import { runDriver } from './runDriver.ts'
import { type Fleet, startFleet } from './startFleet.ts'
import { countDescriptors, readMemory, watchResources } from './watchResources.ts'

/**
 * `npm run load`: simulates a sale's first minute against the product as in production: several web processes, a worker and a watcher behind
 * nginx. Every visitor has an event stream; buyers among them reserve the last nodes at T0 while web processes are killed. The same load is
 * first run against servers that answer with constants, as the upper bound for this machine.
 *
 * Prints one table. Exits with 1 if a required result does not hold. Leaves no files or processes.
 */
const { values } = parseArgs({
  options: {
    web: { type: 'string', default: '3' },
    visitors: { type: 'string', default: '5000' },
    buyers: { type: 'string', default: '2000' },
    nodes: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '60' },
    /** The period of all requests in milliseconds, because not all buyers are equally fast. */
    spread: { type: 'string', default: '1000' },
    pgbouncer: { type: 'boolean', default: false },
    kills: { type: 'boolean', default: true },
  },
  allowNegative: true,
})
const [web, visitors, buyers, nodes, seconds, spread] = [
  values.web,
  values.visitors,
  values.buyers,
  values.nodes,
  values.seconds,
  values.spread,
].map(Number) as [number, number, number, number, number, number]
const LATE = Math.ceil(buyers / 20)
/** Two sockets for each stream, plus those of calls. */
const MAX_CONNECTIONS = visitors * 2 + buyers * 2 + 2_000
/** In milliseconds. */
const KILL_INTERVAL = 4_000

const progress = createProgress()
let fleet: Fleet | undefined
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    interrupted = true
    killPrograms()
    void Promise.resolve(fleet?.stop()).finally(() => process.exit(130))
  })

try {
  requireTools('nginx', ...(values.pgbouncer ? (['pgbouncer'] as const) : []))
  await buildPwa(progress.show)
  await buildServer()
  progress.end()
  console.log('Starting the parts …')
  fleet = await startFleet({ web, pgbouncer: values.pgbouncer, maxConnections: MAX_CONNECTIONS })
  await prepare(fleet)
  const bare = await measureConstants(fleet)
  const results = await measureProduct(fleet, bare)
  printTable(results)
  // Speeds depend on the machine and do not fail the run.
  if (!results.every((result) => !('holds' in result) || isMet(result))) process.exitCode = 1
} catch (error) {
  if (!interrupted) console.error(error instanceof ToolMissingError ? error.message : error)
  process.exitCode = 1
} finally {
  await fleet?.stop()
}

async function prepare({ parts, members, webs }: Fleet): Promise<void> {
  while (!members.every((member) => member.isRunning)) await delay(100)
  await prepareBuyers(parts, buyers)
  await resetSale(parts.database, { buyers, supply: nodes })
  for (const { port } of webs) await waitReady(port)
}

async function waitReady(port: number): Promise<void> {
  while (
    !(await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await delay(100)
}

function planFor(port: number): LoadPlan {
  return { port, visitors, buyers, firstBuyer: 1, spread, lateAfter: Math.min(seconds, 20) * 1_000, late: LATE, readAgain: true }
}

/** Runs the load against as many servers as the product has web processes, behind the same nginx. */
async function measureConstants({ parts }: Fleet): Promise<LoadReport> {
  console.log(`The same load against ${web} servers that answer with constants …`)
  const { freePort } = await import('#api/dev/freePort.ts')
  const { startNginx } = await import('#api/testing/startNginx.ts')
  const targets = await Promise.all(Array.from({ length: web }, freePort))
  const script = path.join(import.meta.dirname, 'constantServer.ts')
  const servers = await Promise.all(targets.map((target) => startProgram(script, [String(target)])))
  const port = await freePort()
  const nginx = await startNginx({ port, targets, folder: path.join(parts.folder, 'constants'), maxConnections: MAX_CONNECTIONS })
  try {
    return await runDriver({ ...planFor(port), lateAfter: 3_000 }, () => delay(3_000))
  } finally {
    await nginx.stop()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function measureProduct(running: Fleet, bare: LoadReport): Promise<(Check | Comparison)[]> {
  const { parts, port, members, webs, maxConnections } = running
  const quiet = webs.map(({ member }) => countDescriptors(member.pid))
  const memoryOfWebs = () => webs.reduce((sum, { member }) => sum + readMemory(member.pid), 0)
  let warmMemory = 0
  let streamMemory = 0
  console.log(`The sale: ${visitors} event streams, ${buyers} buyers, ${nodes} nodes …`)
  const resources = watchResources(running)
  let kills = 0
  const report = await runDriver(
    planFor(port),
    async () => {
      const begun = performance.now()
      const timer = setInterval(
        () => progress.show(`The sale, ${kills} kills, seconds`, Math.round((performance.now() - begun) / 1_000), seconds),
        1_000,
      )
      // The first kill hits the peak.
      await delay(200)
      while (performance.now() - begun < seconds * 1_000 - KILL_INTERVAL) {
        // One at a time, because a restart takes a while.
        if (values.kills && members.every((member) => member.isRunning)) {
          webs[kills % webs.length]!.member.kill()
          kills += 1
        }
        await delay(KILL_INTERVAL)
      }
      clearInterval(timer)
      progress.end()
    },
    {
      onWarm() {
        warmMemory = memoryOfWebs()
        progress.show('Opening the event streams', Math.ceil(visitors / 5), visitors)
      },
      onOpen() {
        progress.show('Loading the purchase page of the buyers')
        streamMemory = ((memoryOfWebs() - warmMemory) * 1_024) / (visitors - Math.ceil(visitors / 5))
      },
    },
  )
  await resources.stop()
  const order = webs.map(({ member }) => readOrder(readFileSync(path.join(parts.folder, `${member.name}.log`), 'utf8')))
  const left = await waitUntilLeft(
    webs.map(({ member }) => member),
    Math.max(...quiet) + SPARE_DESCRIPTORS,
  )

  console.log('Paying all reservations …')
  const reserved = await countHeld(running)
  const paid = await payReservations(parts)
  const given = await waitForNodes(running, paid)
  const audit = await runAudit(parts.postgres.url, running.env)
  if (audit.code !== 0) console.error(audit.output)
  const crashes = members.flatMap((member) => member.crashes)
  for (const crash of crashes) console.error(crash)
  return judge({
    report,
    bare,
    nodes,
    visitors,
    kills,
    reserved,
    paid,
    given,
    auditClean: audit.code === 0,
    crashes: crashes.length,
    resources,
    order,
    streamMemory,
    maxConnections,
    descriptors: { quiet: Math.max(...quiet), left },
  })
}

/** Waits until the processes have closed the files of disconnected clients. Returns the largest number of open files of a process. */
async function waitUntilLeft(members: Fleet['members'], expected: number): Promise<number> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const open = Math.max(...members.map(({ pid }) => countDescriptors(pid)))
    if ((members.every((member) => member.isRunning) && open <= expected) || Date.now() > deadline) return open
    await delay(200)
  }
}

async function countHeld({ parts }: Fleet): Promise<{ row: number; held: number }> {
  const { rows } = await parts.database.query<{ row: number; held: number }>(
    'select reserved as row, (select coalesce(sum(held_quantity), 0)::int from purchases) as held from supply where id = 1',
  )
  return rows[0]!
}

async function waitForNodes({ parts }: Fleet, expected: number): Promise<{ nodes: number; owners: number }> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const { rows } = await parts.database.query<{ nodes: number; owners: number }>(
      `select count(*)::int as nodes, count(distinct user_id)::int as owners from nodes`,
    )
    progress.show('Waiting until the payments are confirmed', rows[0]!.nodes, expected)
    if (rows[0]!.nodes >= expected || Date.now() > deadline) {
      progress.end()
      return rows[0]!
    }
    await delay(500)
  }
}
