import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { buildPwa } from '#api/dev/buildPwa.ts'
import { requireTools, ToolMissingError } from '#api/testing/findTool.ts'
import { type Parts, startParts } from '../bench/startParts.ts'
import { killPrograms } from '../bench/startProgram.ts'
import { readContract } from '#api/testing/readContract.ts'
import { describeApi } from '#api/platform/http/describeApi.ts'
import { callsOf } from '../fuzz/readDescription.ts'
import { listTargets, type TargetCall } from './listTargets.ts'
import { runSqlmap } from './runSqlmap.ts'
import { runWapiti } from './runWapiti.ts'
import { startCanary } from './startCanary.ts'
import { startTarget, type Target } from './startTarget.ts'

/**
 * Runs the scanners sqlmap and wapiti against the product as in production. Each must first find the deliberate vulnerability of a canary
 * server; otherwise its run proves nothing. Exits with 1 if they find anything in the product.
 *
 * `npm run attack -- sqlmap` runs one of them.
 */
const scanners = { sqlmap: runSqlmap, wapiti: runWapiti } as const
/** The vulnerabilities that each scanner has to find in the canary. */
const canaries: Record<keyof typeof scanners, RegExp[]> = {
  sqlmap: [/^Parameter: id /],
  wapiti: [/^Cross Site Scripting: GET \/greeting:/],
}
type Scanner = keyof typeof scanners

/** False positives, each with its reason. */
const falsePositives: [found: RegExp, reason: string][] = [
  [/X-XSS-Protection is not set/, 'it is deliberately set to 0, because the filter of old browsers was a vulnerability itself'],
]

const requested = process.argv.slice(2).filter((name): name is Scanner => Object.hasOwn(scanners, name))
const names = requested.length > 0 ? requested : (Object.keys(scanners) as Scanner[])
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
  const calls = listTargets(callsOf(describeApi(await readContract())))
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
  const canaryCalls = ['/bird?id=1', '/greeting?name=you'].map((path) => ({ method: 'GET', path, body: undefined }))
  const canaryFindings = await run(canary.url, { calls: canaryCalls, folder })
  const detected = canaries[name].map((pattern) => canaryFindings.find((one) => pattern.test(one)))
  if (detected.includes(undefined))
    throw new Error(`${name} does not find the vulnerabilities of the canary. It found:\n${canaryFindings.join('\n')}`)
  console.log(`${name} finds the vulnerabilities of the canary:\n  ${detected.join('\n  ')}`)

  const [started, before] = [Date.now(), await target.countRequests()]
  const found = await run(target.url, { calls, headers: target.headers, folder })
  const vulnerabilities = found.filter((one) => !falsePositives.some(([known]) => known.test(one)))
  const minutes = ((Date.now() - started) / 60_000).toFixed(1)
  const requests = (await target.countRequests()) - before
  console.log(
    `${name} tested ${calls.length} calls with ${requests} requests in ${minutes} minutes and found ${vulnerabilities.length} vulnerabilities.`,
  )
  for (const vulnerability of vulnerabilities) console.log(`  ${vulnerability}`)
  if (vulnerabilities.length > 0) process.exitCode = 1
}
