import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { median } from '#api/stress/bench/Comparison.ts'

/** Fetched from the npm registry for the run: only this bench needs it, and it brings 140 MB. */
const LIGHTHOUSE = 'lighthouse@13.5.0'
const run = promisify(execFile)

const ROUNDS = 5
/** Retries, because the browser sometimes does not finish a trace. */
const MAX_ATTEMPTS = 3

const markNames = ['performance', 'accessibility', 'best-practices', 'seo'] as const

export interface PageFigures {
  /** Lighthouse's score out of 100. */
  marks: Record<(typeof markNames)[number], number>
  /** Milliseconds. */
  lcp: number
  tbt: number
  cls: number
  /** Transferred size. */
  scriptBytes: number
  /** Failed audits of accessibility, best practices and SEO. */
  faults: string[]
}

export interface DrivenBrowser {
  port: number
  close(): Promise<void>
}

/** A browser for Lighthouse. */
export async function openBrowser(executablePath: string): Promise<DrivenBrowser> {
  const port = 9_000 + Math.floor(Math.random() * 900)
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${port}`],
  })
  return { port, close: () => browser.close() }
}

/** Lighthouse's figures of a simulated first visit on a phone: each the median of five. */
export async function measurePage({ port }: DrivenBrowser, url: string): Promise<PageFigures> {
  const rounds: PageFigures[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureOnce(port, url))
  const medianOf = (pick: (figures: PageFigures) => number) => median(rounds.map(pick))
  return {
    marks: eachMark((name) => medianOf(({ marks }) => marks[name])),
    lcp: medianOf(({ lcp }) => lcp),
    tbt: medianOf(({ tbt }) => tbt),
    cls: medianOf(({ cls }) => cls),
    scriptBytes: medianOf(({ scriptBytes }) => scriptBytes),
    faults: [...new Set(rounds.flatMap(({ faults }) => faults))],
  }
}

const eachMark = (read: (name: (typeof markNames)[number]) => number) =>
  Object.fromEntries(markNames.map((name) => [name, read(name)])) as PageFigures['marks']

async function measureOnce(port: number, url: string, attempt = 1): Promise<PageFigures> {
  const { categories, audits, runtimeError } = await runLighthouse(port, url)
  if (runtimeError && attempt < MAX_ATTEMPTS) return measureOnce(port, url, attempt + 1)
  if (runtimeError) throw new Error(`${url}: ${runtimeError.message}`)
  const figure = (name: string) => audits[name]?.numericValue ?? Number.NaN
  const items = audits['network-requests']?.details?.items ?? []
  return {
    marks: eachMark((name) => Math.round((categories[name]?.score ?? 0) * 100)),
    lcp: figure('largest-contentful-paint'),
    tbt: figure('total-blocking-time'),
    cls: figure('cumulative-layout-shift'),
    faults: markNames
      .filter((name) => name !== 'performance')
      .flatMap((name) => categories[name]?.auditRefs.filter(({ weight }) => weight > 0) ?? [])
      .filter(({ id }) => (audits[id]?.score ?? 1) < 1)
      .map(({ id }) => `${id}: ${audits[id]!.title}`),
    scriptBytes: items.filter(({ resourceType }) => resourceType === 'Script').reduce((sum, item) => sum + item.transferSize, 0),
  }
}

/** The parts of Lighthouse's report that are read here. */
interface LighthouseReport {
  runtimeError?: { message: string }
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<
    string,
    {
      title: string
      score: number | null
      numericValue?: number
      details?: { items?: { resourceType: string; transferSize: number }[] }
    }
  >
}

async function runLighthouse(port: number, url: string): Promise<LighthouseReport> {
  const args = ['--yes', LIGHTHOUSE, url, `--port=${port}`, '--output=json', '--output-path=stdout', '--quiet']
  const { stdout } = await run('npx', args, { maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout) as LighthouseReport
}
