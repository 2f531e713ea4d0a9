import { spawnSync } from 'node:child_process'
import { z } from 'zod'

/**
 * `npm run audit:deps`: checks the installed packages for known vulnerabilities. Exits with 1 on a serious one, and with 0 if the registry
 * is unreachable, so that it does not fail offline.
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
  console.log('The registry is unreachable. The dependencies were not checked.')
} else {
  const vulnerabilities = Object.entries(found.data.vulnerabilities).toSorted(
    ([, a], [, b]) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  )
  for (const [name, { severity, range, via }] of vulnerabilities) {
    const titles = via.flatMap((cause) => z.object({ title: z.string() }).safeParse(cause).data?.title ?? [])
    console.log(`${severity.padEnd(9)} ${name} ${range}${titles.length > 0 ? `: ${titles.join('; ')}` : ''}`)
  }
  console.log(
    vulnerabilities.length === 0 ? 'No known vulnerabilities.' : `${vulnerabilities.length} packages with known vulnerabilities.`,
  )
  if (vulnerabilities.some(([, { severity }]) => serious.has(severity))) process.exitCode = 1
}

function readJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
