import { chromium, type Page } from 'playwright-core'

export interface SlowPhoneFigures {
  /** Milliseconds from the tap to the first content, on a connection that stands. */
  content: number
  /** To the moment in which the page's buttons answer, for somebody who touches the page once they see it. */
  usable: number
  /** The same for a page that the service worker has kept, without the slow network. */
  repeated: number
}

const LATENCY = 400
const BITS_A_SECOND = 400_000
const CPU_SLOWDOWN = 6
const PATIENCE = 60_000

declare global {
  interface Window {
    usableAt?: number
  }
}

/** The first visit of the dashboard with a slow phone on a slow network, and the next. */
export async function measureSlowPhone(executablePath: string, url: string): Promise<SlowPhoneFigures> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
    context.setDefaultTimeout(PATIENCE)
    await context.addInitScript(() => {
      const look = () => {
        const button = document.querySelector('header button:enabled')
        // React marks what it has taken over.
        if (button && Object.keys(button).some((key) => key.startsWith('__reactProps'))) window.usableAt ??= performance.now()
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    // The connection stands then.
    await page.goto(`${url}/robots.txt`)
    const throughput = BITS_A_SECOND / 8
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    })
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
    await page.goto(url, { waitUntil: 'commit' })
    const usable = await touchAndReadUsable(page)
    const content = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]!.startTime)

    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))
    await page.reload()
    await page.goto(url, { waitUntil: 'commit' })
    return { content, usable, repeated: await touchAndReadUsable(page) }
  } finally {
    await browser.close()
  }
}

async function touchAndReadUsable(page: Page): Promise<number> {
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
  await page.touchscreen.tap(195, 600)
  await page.waitForFunction(() => window.usableAt !== undefined)
  return (await page.evaluate(() => window.usableAt))!
}
