import { type Browser, chromium } from 'playwright-core'
import { median } from '#api/stress/bench/Comparison.ts'
import { throttle } from './throttle.ts'

const CPU_SLOWDOWN = 4
/** Milliseconds, and bits per second: slow 4G as Lighthouse defines it. */
const LATENCY = 150
const BITS_PER_SECOND = 1_600_000
const ROUNDS = 5

/**
 * Milliseconds until the largest contentful paint of a first visit on a phone, the median of five for each address in turn. It is
 * observed: Lighthouse's simulation lets every script that has arrived by then delay the paint, even if none has run.
 */
export async function measureLcp(executablePath: string, urls: readonly string[]): Promise<number[]> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const rounds: number[][] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const paints: number[] = []
      for (const url of urls) paints.push(await measureOnce(browser, url))
      rounds.push(paints)
    }
    return urls.map((_, index) => median(rounds.map((paints) => paints[index]!)))
  } finally {
    await browser.close()
  }
}

async function measureOnce(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await throttle(session, { cpu: CPU_SLOWDOWN, latency: LATENCY, bits: BITS_PER_SECOND })
  await page.goto(url, { waitUntil: 'load' })
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  const paint = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)!.startTime)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        })
      }),
  )
  await context.close()
  return paint
}
