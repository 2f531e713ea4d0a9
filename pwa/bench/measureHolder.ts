import { chromium } from 'playwright-core'
import { median } from '#api/stress/bench/Comparison.ts'
import { throttle } from './throttle.ts'

/** Slow 4G, and a phone a few years old. */
const LATENCY = 150
const BITS_PER_SECOND = 1_400_000
const CPU_SLOWDOWN = 4
const ROUNDS = 3

const emptyNames = ['DemoBar', ...Array.from('abcdefghijklmnopqrstuvwxyz')].map((name) => `nothing as ${name}`).join()

/** A holder of the seeded product. */
export const holder = { email: 'mina@example.com', password: 'Demo-Holder-1!' }

/** Milliseconds until a holder sees their own data on a first visit: the median of three. */
export async function measureHolder(executablePath: string, url: string): Promise<number> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const waits: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const context = await browser.newContext({ baseURL: url, viewport: { width: 390, height: 844 }, isMobile: true })
      await context.request.post('/api/login', { data: holder })
      const page = await context.newPage()
      // The demo bar and its wallet exist only with embedded chains.
      await page.route('**/assets/DemoBar-*.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: `const nothing = () => null; export { ${emptyNames} }` }),
      )
      const session = await context.newCDPSession(page)
      await throttle(session, { cpu: CPU_SLOWDOWN, latency: LATENCY, bits: BITS_PER_SECOND })
      const begun = performance.now()
      await page.goto('/', { waitUntil: 'commit' })
      await page.getByText(/earning now/).waitFor({ timeout: 60_000 })
      waits.push(performance.now() - begun)
      await context.close()
    }
    return median(waits)
  } finally {
    await browser.close()
  }
}
