import { type Browser, chromium, type Page } from 'playwright-core'

const CPU_SLOWDOWN = 6
const TIME_LIMIT = 60_000
const ROUNDS = 3

/** Latency in milliseconds, and bits a second. */
const lines = {
  slow: { latency: 150, bits: 1_400_000 },
  medium: { latency: 60, bits: 9_000_000 },
}
/** Milliseconds after the first paint at which somebody taps. */
const moments = [300, 4_000]

const phone = { width: 390, height: 844 }
const desk = { width: 1_440, height: 900 }
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

const taps = {
  menu: {
    viewport: phone,
    on: (page: Page) => page.getByRole('button', { name: 'Open menu' }),
    result: (page: Page) => dialog(page, 'Menu'),
  },
  'Log in': {
    viewport: desk,
    on: (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Log in' }),
    result: (page: Page) => dialog(page, 'Human Verification'),
  },
  'Connect Wallet': {
    viewport: phone,
    on: (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }),
    // The list of wallets, or what the only one asks.
    result: (page: Page) => page.getByRole('dialog'),
  },
  'Buy nodes': {
    viewport: phone,
    on: (page: Page) => page.getByRole('link', { name: 'Buy nodes' }),
    result: (page: Page) => page.getByRole('heading', { name: 'Node Purchase' }),
  },
}

export interface TapFigure {
  tap: string
  line: string
  /** Milliseconds after the first paint. */
  moment: number
  /** Milliseconds from the tap until its result is visible: the median of three first visits. */
  wait: number
}

/** How long somebody with a slow phone waits for the first tap on the dashboard. */
export async function measureTaps(executablePath: string, url: string): Promise<TapFigure[]> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const figures: TapFigure[] = []
  try {
    for (const line of Object.keys(lines) as (keyof typeof lines)[])
      for (const moment of moments)
        for (const tap of Object.keys(taps) as (keyof typeof taps)[]) {
          const waits: number[] = []
          for (let round = 0; round < ROUNDS; round += 1) waits.push(await measureOnce(browser, { url, line, moment, tap }))
          figures.push({ tap, line, moment, wait: waits.toSorted((a, b) => a - b)[(ROUNDS - 1) / 2]! })
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

async function measureOnce(browser: Browser, { url, line, moment, tap }: Visit): Promise<number> {
  const { viewport, on, result } = taps[tap]
  const context = await browser.newContext({ viewport, isMobile: viewport === phone, hasTouch: viewport === phone })
  context.setDefaultTimeout(TIME_LIMIT)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const { latency, bits } = lines[line]
  const throughput = bits / 8
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await session.send('Page.enable')
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true })
  const isPainted = new Promise<void>((resolve) =>
    session.on('Page.lifecycleEvent', ({ name }) => void (name === 'firstContentfulPaint' && resolve())),
  )
  await page.goto(url, { waitUntil: 'commit' })
  await isPainted
  const place = (await on(page).boundingBox())!
  await new Promise((resolve) => setTimeout(resolve, moment))
  const tapped = performance.now()
  await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2)
  await result(page).waitFor()
  const wait = performance.now() - tapped
  await context.close()
  return wait
}
