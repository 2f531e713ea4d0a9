import { parseArgs } from 'node:util'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildPwa } from '#api/dev/buildPwa.ts'
import { isMet, type Check, type Comparison } from '../bench/Comparison.ts'
import { requireTools, ToolMissingError } from '#api/testing/findTool.ts'
import { printTable } from '../bench/printTable.ts'
import { prepareBuyers, resetSale } from '../bench/reservations/prepareBuyers.ts'
import { killPrograms, startProgram } from '../bench/startProgram.ts'
import { runAudit } from '#api/testing/runAudit.ts'
import { judge, SPARE_DESCRIPTORS } from './judge.ts'
import type { LoadPlan, LoadReport } from './LoadPlan.ts'
import { payReservations } from './payReservations.ts'
import { runDriver } from './runDriver.ts'
import { type Fleet, startFleet } from './startFleet.ts'
import { countDescriptors, watchResources } from './watchResources.ts'

/**
 * `npm run load`: a sale's first minute against the product as it is run in production, several web processes, a worker and a watcher
 * behind nginx. Visitors hold an event stream each; buyers among them press at T0 for the last nodes while web processes are killed. Before
 * it, the same load meets servers that answer constants: what those cannot reach on a machine that the driver shares, nothing can.
 *
 * Prints one table; exits 1 if something in it that must hold does not. Leaves nothing behind.
 */
const { values } = parseArgs({
  options: {
    web: { type: 'string', default: '3' },
    visitors: { type: 'string', default: '5000' },
    buyers: { type: 'string', default: '2000' },
    nodes: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '60' },
    /** Milliseconds within which all presses fall: people are not all equally quick. */
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
/** Two sockets for each stream, and the calls. */
const MAX_CONNECTIONS = visitors * 2 + buyers * 2 + 2_000
const KILL_EVERY = 4_000

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
  await buildPwa()
  say('Starting the parts …')
  fleet = await startFleet({ web, pgbouncer: values.pgbouncer, maxConnections: MAX_CONNECTIONS })
  await prepare(fleet)
  const bare = await measureConstants(fleet)
  const results = await measureProduct(fleet, bare)
  printTable(results)
  // How fast it is depends on the machine; what must hold must hold on any.
  if (!results.every((result) => !('holds' in result) || isMet(result))) process.exitCode = 1
} catch (error) {
  if (!interrupted) console.error(error instanceof ToolMissingError ? error.message : error)
  process.exitCode = 1
} finally {
  await fleet?.stop()
}

function say(text: string): void {
  console.log(text)
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

/** Behind an nginx of the same kind, as many servers as the product has web processes. */
async function measureConstants({ parts }: Fleet): Promise<LoadReport> {
  say(`The same load against ${web} servers that answer constants …`)
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
  const { parts, port, members, webs, mostConnections } = running
  const quiet = webs.map(({ member }) => countDescriptors(member.pid))
  say(`The sale: ${visitors} event streams, ${buyers} buyers, ${nodes} nodes …`)
  const resources = watchResources(running)
  let kills = 0
  const report = await runDriver(planFor(port), async () => {
    const begun = performance.now()
    // Right into the crowd, and again and again.
    await delay(200)
    while (performance.now() - begun < seconds * 1_000 - KILL_EVERY) {
      // One at a time: it takes a while until a process is back.
      if (values.kills && members.every((member) => member.isRunning)) {
        webs[kills % webs.length]!.member.kill()
        kills += 1
      }
      await delay(KILL_EVERY)
    }
  })
  await resources.stop()
  const left = await waitUntilLeft(
    webs.map(({ member }) => member),
    Math.max(...quiet) + SPARE_DESCRIPTORS,
  )

  say('Everybody who has reserved pays …')
  const reserved = await countHeld(running)
  const paid = await payReservations(parts)
  const given = await waitForNodes(running, paid)
  const audit = await runAudit(parts.postgres.url, running.env)
  if (audit.code !== 0) console.error(audit.output)
  const deaths = members.flatMap((member) => member.deaths)
  for (const death of deaths) console.error(death)
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
    deaths: deaths.length,
    resources,
    mostConnections,
    descriptors: { quiet: Math.max(...quiet), left },
  })
}

/** What the processes still have open once everybody has gone: most of one process. */
async function waitUntilLeft(members: Fleet['members'], expected: number): Promise<number> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const most = Math.max(...members.map(({ pid }) => countDescriptors(pid)))
    if ((members.every((member) => member.isRunning) && most <= expected) || Date.now() > deadline) return most
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
    if (rows[0]!.nodes >= expected || Date.now() > deadline) return rows[0]!
    await delay(500)
  }
}
