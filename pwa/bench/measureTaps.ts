import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { median } from '#api/stress/bench/Comparison.ts'
import { throttle } from './throttle.ts'

const CPU_SLOWDOWN = 6
const TIME_LIMIT = 60_000
const ROUNDS = 3

/** Latency in milliseconds, and bits per second. */
const lines = {
  slow: { latency: 150, bits: 1_400_000 },
  medium: { latency: 60, bits: 9_000_000 },
}
/** Milliseconds between the first paint and the tap. */
const moments = [300, 4_000]

const phone = { width: 390, height: 844 }
const desk = { width: 1_440, height: 900 }

interface Tap {
  viewport: typeof phone
  on: (page: Page) => Locator
  /** What becomes visible: a selector, and its text if the selector is ambiguous. */
  result: { selector: string; words?: string }
}

const taps = {
  menu: {
    viewport: phone,
    on: (page) => page.getByRole('button', { name: 'Open menu' }),
    result: { selector: 'dialog[open], [role=dialog]' },
  },
  'Log in': {
    viewport: desk,
    on: (page) => page.getByRole('banner').getByRole('button', { name: 'Log in' }),
    result: { selector: 'dialog[open] h2, [role=dialog] h2', words: 'Human Verification' },
  },
  'Connect Wallet': {
    viewport: phone,
    on: (page) => page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }),
    // The list of wallets, or the prompt of a single wallet.
    result: { selector: 'dialog[open], [role=dialog]' },
  },
  'Buy nodes': {
    viewport: phone,
    on: (page) => page.getByRole('link', { name: 'Buy nodes' }),
    result: { selector: 'h1', words: 'Node Purchase' },
  },
} satisfies Record<string, Tap>

export interface TapFigure {
  tap: string
  line: string
  /** Milliseconds after the first paint. */
  moment: number
  /** Milliseconds from the tap until its result is visible: the median of three first visits. */
  wait: number
  /** Milliseconds from the start of the navigation until then: the median. */
  shownAt: number
}

/** How long a user with a slow phone waits for the first tap on the dashboard. */
export async function measureTaps(executablePath: string, url: string): Promise<TapFigure[]> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const figures: TapFigure[] = []
  try {
    for (const line of Object.keys(lines) as (keyof typeof lines)[])
      for (const moment of moments)
        for (const tap of Object.keys(taps) as (keyof typeof taps)[]) {
          const visits: Awaited<ReturnType<typeof measureOnce>>[] = []
          for (let round = 0; round < ROUNDS; round += 1) visits.push(await measureOnce(browser, { url, line, moment, tap }))
          figures.push({
            tap,
            line,
            moment,
            wait: median(visits.map(({ wait }) => wait)),
            shownAt: median(visits.map(({ shownAt }) => shownAt)),
          })
        }
  } finally {
    await browser.close()
  }
  return figures
}

interface Visit {
  url: string
  line: keyof typeof lines
  moment: number
  tap: keyof typeof taps
}

async function measureOnce(browser: Browser, { url, line, moment, tap }: Visit) {
  const { viewport, on, result } = taps[tap]
  const context = await browser.newContext({ viewport, isMobile: viewport === phone, hasTouch: viewport === phone })
  context.setDefaultTimeout(TIME_LIMIT)
  await context.addInitScript(timeTap, result)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await throttle(session, { cpu: CPU_SLOWDOWN, ...lines[line] })
  await session.send('Page.enable')
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true })
  const isPainted = new Promise<void>((resolve) =>
    session.on('Page.lifecycleEvent', ({ name }) => void (name === 'firstContentfulPaint' && resolve())),
  )
  const startedAt = Date.now()
  await page.goto(url, { waitUntil: 'commit' })
  await isPainted
  const place = (await on(page).boundingBox())!
  await new Promise((resolve) => setTimeout(resolve, moment))
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2]
  await (viewport === phone ? page.touchscreen.tap(x, y) : page.mouse.click(x, y))
  const timed = await page.waitForFunction(() => window.timedTap)
  const { wait, shownAt } = (await timed.jsonValue())!
  await context.close()
  return { wait, shownAt: shownAt - startedAt }
}

declare global {
  interface Window {
    /** Milliseconds from the moment the finger comes down until the frame in which the result is visible, and that frame's time. */
    timedTap?: { wait: number; shownAt: number }
  }
}

/**
 * Runs in each page before its own scripts, so that the driver's work on a slowed processor is not counted. The tap is stored
 * by the wall clock: before hydration a link leads to another document.
 */
function timeTap({ selector, words = '' }: Tap['result']): void {
  const now = () => performance.timeOrigin + performance.now()
  document.addEventListener(
    'pointerdown',
    ({ timeStamp }) => sessionStorage.setItem('tappedAt', String(performance.timeOrigin + timeStamp)),
    { capture: true, once: true },
  )
  const isVisible = () =>
    [...document.querySelectorAll(selector)].some((found) => found.checkVisibility() && found.textContent.includes(words))
  const observer = new MutationObserver(() => {
    const tappedAt = sessionStorage.getItem('tappedAt')
    if (tappedAt === null || !isVisible()) return
    observer.disconnect()
    requestAnimationFrame(() =>
      setTimeout(() => {
        const shownAt = now()
        window.timedTap = { wait: shownAt - Number(tappedAt), shownAt }
      }),
    )
  })
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
}
