import { spawnSync } from 'node:child_process'
import { z } from 'zod'

/**
 * `npm run audit:deps`: asks the registry whether anything that is installed has a known hole. Exits 1 on a serious one, and 0 where
 * the registry cannot be asked: a machine without a network is no hole.
 */

const severities = ['critical', 'high', 'moderate', 'low', 'info'] as const
const serious = new Set<string>(['critical', 'high'])

const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.enum(severities), range: z.string(), isDirect: z.boolean(), via: z.array(z.unknown()) }),
  ),
})

const { stdout } = spawnSync('npm', ['audit', '--json', '--omit=dev', '--fetch-retries=0', '--fetch-timeout=15000'], {
  encoding: 'utf8',
  timeout: 60_000,
})
const found = report.safeParse(readJson(stdout))
if (!found.success) {
  console.log('The registry could not be asked; nothing is known about the dependencies.')
} else {
  const holes = Object.entries(found.data.vulnerabilities).toSorted(
    ([, a], [, b]) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  )
  for (const [name, { severity, range, via }] of holes) {
    const titles = via.flatMap((cause) => z.object({ title: z.string() }).safeParse(cause).data?.title ?? [])
    console.log(`${severity.padEnd(9)} ${name} ${range}${titles.length > 0 ? `: ${titles.join('; ')}` : ''}`)
  }
  console.log(holes.length === 0 ? 'No known holes.' : `${holes.length} packages with known holes.`)
  if (holes.some(([, { severity }]) => serious.has(severity))) process.exitCode = 1
}

function readJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
