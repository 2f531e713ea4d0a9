import { type Browser, chromium } from 'playwright-core'
import { median } from '#api/stress/bench/Comparison.ts'
import { throttle } from './throttle.ts'

export interface SlowPhoneFigures {
  /** First content of the same page as static HTML without scripts. */
  bare: number
  /** Milliseconds from navigation to the first content, on an open connection. */
  content: number
  /** Milliseconds until a tap is answered, for a user who taps once the page is visible. */
  usable: number
  /** The same for a page from the service worker's cache, without network throttling. */
  repeated: number
}

const LATENCY = 400
const BITS_PER_SECOND = 400_000
const CPU_SLOWDOWN = 6
const TIMEOUT = 60_000

const ROUNDS = 3

/** The first and the second visit of the dashboard with a slow phone on a slow network; each the median of three. */
export async function measureSlowPhone(executablePath: string, { url, bareUrl }: { url: string; bareUrl: string }) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const rounds: SlowPhoneFigures[] = []
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureOnce(browser, { url, bareUrl }))
    const medianOf = (name: keyof SlowPhoneFigures) => median(rounds.map((round) => round[name]))
    return { bare: medianOf('bare'), content: medianOf('content'), usable: medianOf('usable'), repeated: medianOf('repeated') }
  } finally {
    await browser.close()
  }
}

async function measureOnce(browser: Browser, { url, bareUrl }: { url: string; bareUrl: string }): Promise<SlowPhoneFigures> {
  const bare = await openPhone(browser, bareUrl)
  await bare.see()
  const bareContent = await bare.readContent()
  await bare.close()

  const phone = await openPhone(browser, url)
  await phone.see()
  const usable = await phone.touch()
  const content = await phone.readContent()
  await phone.unthrottle()
  await phone.page.evaluate(async () => void (await navigator.serviceWorker.ready))
  await phone.page.reload()
  await phone.see()
  const repeated = await phone.touch()
  await phone.close()
  return { bare: bareContent, content, usable, repeated }
}

async function openPhone(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  context.setDefaultTimeout(TIMEOUT)
  // While a browser is automated, each Error parses its file again for the stack trace, about 0.4 s that real phones do not
  // spend.
  await context.addInitScript(() => (Error.stackTraceLimit = 0))
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  // Opens the connection in advance.
  await page.goto(`${url}/robots.txt`)
  await throttle(session, { cpu: CPU_SLOWDOWN, latency: LATENCY, bits: BITS_PER_SECOND })
  await session.send('Page.enable')
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true })
  return {
    page,
    unthrottle: () => throttle(session, { cpu: 1, latency: 0, bits: Number.POSITIVE_INFINITY }),
    /** Opens the page and waits for its first content. */
    async see(): Promise<void> {
      // Measured by the browser: a script in the page would take CPU time before the paint.
      const isSeen = new Promise<void>((resolve) =>
        session.on('Page.lifecycleEvent', ({ name }) => {
          if (name === 'firstContentfulPaint') resolve()
        }),
      )
      await page.goto(url, { waitUntil: 'commit' })
      await isSeen
    },
    /** Taps until the page reacts. @returns milliseconds since it was opened. */
    async touch(): Promise<number> {
      await page.touchscreen.tap(195, 600)
      return page.evaluate(waitForHydration)
    },
    readContent: () => page.evaluate(waitForPaintEntry),
    close: () => context.close(),
  }
}

/** React sets a property on hydrated nodes. */
const waitForHydration = () =>
  new Promise<number>((resolve) => {
    const LOOK_EVERY = 20
    const look = () => {
      const button = document.querySelector('header button:enabled')
      if (button && Object.keys(button).some((key) => key.startsWith('__reactProps'))) resolve(performance.now())
      // Polls less often than each frame, because that would force rendering.
      else setTimeout(look, LOOK_EVERY)
    }
    look()
  })

/** The browser reports a paint before its timestamp is available. @returns milliseconds since the page was opened. */
const waitForPaintEntry = () =>
  new Promise<number>((resolve) => {
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntriesByName('first-contentful-paint')) resolve(startTime)
    }).observe({ type: 'paint', buffered: true })
  })
