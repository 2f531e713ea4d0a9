import lighthouse from 'lighthouse'
import { chromium } from 'playwright-core'

const ROUNDS = 5
/** A round whose trace the browser did not finish says nothing of the page. */
const TRIES = 3

const markNames = ['performance', 'accessibility', 'best-practices', 'seo'] as const

export interface PageFigures {
  /** Lighthouse's, of 100. */
  marks: Record<(typeof markNames)[number], number>
  /** Milliseconds. */
  lcp: number
  tbt: number
  cls: number
  /** As transferred. */
  scriptBytes: number
  /** What of accessibility, best practices and SEO it finds fault with. */
  faults: string[]
}

export interface DrivenBrowser {
  port: number
  close(): Promise<void>
}

/** A browser that Lighthouse can drive. */
export async function openBrowser(executablePath: string): Promise<DrivenBrowser> {
  const port = 9_000 + Math.floor(Math.random() * 900)
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${port}`],
  })
  return { port, close: () => browser.close() }
}

/** Lighthouse's figures of a first visit on a phone, simulated as it does by default: each the median of five. */
export async function measurePage({ port }: DrivenBrowser, url: string): Promise<PageFigures> {
  const rounds: PageFigures[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureOnce(port, url))
  const median = (pick: (figures: PageFigures) => number) => rounds.map(pick).toSorted((a, b) => a - b)[(ROUNDS - 1) / 2]!
  return {
    marks: eachMark((name) => median(({ marks }) => marks[name])),
    lcp: median(({ lcp }) => lcp),
    tbt: median(({ tbt }) => tbt),
    cls: median(({ cls }) => cls),
    scriptBytes: median(({ scriptBytes }) => scriptBytes),
    faults: [...new Set(rounds.flatMap(({ faults }) => faults))],
  }
}

const eachMark = (read: (name: (typeof markNames)[number]) => number) =>
  Object.fromEntries(markNames.map((name) => [name, read(name)])) as PageFigures['marks']

async function measureOnce(port: number, url: string, attempt = 1): Promise<PageFigures> {
  const result = await lighthouse(url, { port, output: 'json', logLevel: 'error' })
  if (!result) throw new Error(`Lighthouse has nothing to say of ${url}.`)
  const { categories, audits, runtimeError } = result.lhr
  if (runtimeError && attempt < TRIES) return measureOnce(port, url, attempt + 1)
  if (runtimeError) throw new Error(`${url}: ${runtimeError.message}`)
  const figure = (name: string) => audits[name]?.numericValue ?? Number.NaN
  const { items = [] } = (audits['network-requests']?.details ?? {}) as {
    items?: { resourceType: string; transferSize: number }[]
  }
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
