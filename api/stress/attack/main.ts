import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { buildPwa } from '#api/dev/buildPwa.ts'
import { requireTools, ToolMissingError } from '#api/testing/findTool.ts'
import { type Parts, startParts } from '../bench/startParts.ts'
import { killPrograms } from '../bench/startProgram.ts'
import { readContract } from '#api/testing/readContract.ts'
import { listTargets, type TargetCall } from './listTargets.ts'
import { runSqlmap } from './runSqlmap.ts'
import { runWapiti } from './runWapiti.ts'
import { startCanary } from './startCanary.ts'
import { startTarget, type Target } from './startTarget.ts'

/**
 * Lets the scanners sqlmap and wapiti loose on the product as it runs in production. Each must first find the hole of a server that has
 * one on purpose; the run of one that does not counts for nothing. Exits 1 with whatever they find in the product.
 *
 * `npm run attack -- sqlmap` runs one of them.
 */
const scanners = { sqlmap: runSqlmap, wapiti: runWapiti } as const
/** What each has to find in the canary. */
const canaries: Record<keyof typeof scanners, RegExp[]> = {
  sqlmap: [/^Parameter: id /],
  wapiti: [/^Cross Site Scripting: GET \/greeting:/],
}
type Scanner = keyof typeof scanners

/** What wapiti calls a hole and is none: each with its reason. */
const expected: [found: RegExp, why: string][] = [
  [/X-XSS-Protection is not set/, 'it is set to 0 on purpose: the filter of old browsers was a hole itself'],
]

const asked = process.argv.slice(2).filter((name): name is Scanner => Object.hasOwn(scanners, name))
const names = asked.length > 0 ? asked : (Object.keys(scanners) as Scanner[])
let parts: Parts | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    killPrograms()
    void Promise.resolve(parts?.stop()).finally(() => process.exit(130))
  })

try {
  requireTools(...names)
  await buildPwa()
  parts = await startParts()
  const canary = await startCanary(parts.postgres.url)
  const target = await startTarget(parts)
  const calls = listTargets(await readContract())
  try {
    for (const name of names) await scan(name, { canary, target, calls, folder: path.join(parts.folder, name) })
  } finally {
    await target.stop()
    await canary.stop()
  }
} catch (error) {
  console.error(error instanceof ToolMissingError ? error.message : error)
  process.exitCode = 1
} finally {
  await parts?.stop()
}

interface Scan {
  canary: { url: string }
  target: Target
  calls: TargetCall[]
  folder: string
}

async function scan(name: Scanner, { canary, target, calls, folder }: Scan): Promise<void> {
  mkdirSync(folder)
  const run = scanners[name]
  const birds = ['/bird?id=1', '/greeting?name=you'].map((path) => ({ method: 'GET', path, body: undefined }))
  const sung = await run(canary.url, { calls: birds, folder })
  const heard = canaries[name].map((song) => sung.find((one) => song.test(one)))
  if (heard.includes(undefined))
    throw new Error(`${name} does not find what is there on purpose, so its run would say nothing. It found:\n${sung.join('\n')}`)
  console.log(`${name} finds what is there on purpose:\n  ${heard.join('\n  ')}`)

  const [started, before] = [Date.now(), await target.countRequests()]
  const found = await run(target.url, { calls, cookie: target.cookie, folder })
  const holes = found.filter((one) => !expected.some(([known]) => known.test(one)))
  const minutes = ((Date.now() - started) / 60_000).toFixed(1)
  const requests = (await target.countRequests()) - before
  console.log(
    `${name} looked at ${calls.length} calls with ${requests} requests in ${minutes} minutes and found ${holes.length} holes.`,
  )
  for (const hole of holes) console.log(`  ${hole}`)
  if (holes.length > 0) process.exitCode = 1
}
