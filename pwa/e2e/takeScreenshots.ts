import { writeFile } from 'node:fs/promises'
import { chromium, type Page } from 'playwright-core'
import { chromePath } from './chromePath.ts'
import { startProduct } from './startProduct.ts'

// Takes the screenshots for the web app manifest from the seeded product: `node pwa/e2e/takeScreenshots.ts`. The results are
// committed; run it after the dashboard has changed.

const folder = new URL('../public/screenshots/', import.meta.url)
/** A holder of the seeded product. */
const holder = { email: 'mina@example.com', password: 'Demo-Holder-1!' }
/** The lowest quality that keeps small print sharp. */
const QUALITY = 82

async function take(page: Page, file: string, scale: number) {
  await page.goto('/')
  await page.getByRole('heading', { name: 'Owned Nodes' }).waitFor()
  await page.getByRole('img', { name: /^Nodes 1 to/ }).waitFor()
  await page.waitForLoadState('load')
  // The demo bar and its placeholder are not part of the installed app.
  await page.getByRole('complementary', { name: 'Demo' }).evaluate((bar) => bar.parentElement!.closest('div')!.remove())
  // Hides the scrollbar gutter, and the film, of which only an empty edge would be visible.
  await page.evaluate(() => {
    document.documentElement.style.scrollbarGutter = 'auto'
    document.querySelector('figure')?.remove()
  })
  const session = await page.context().newCDPSession(page)
  const clip = { x: 0, y: 0, ...page.viewportSize()!, scale }
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY, clip })
  await writeFile(new URL(file, folder), Buffer.from(data, 'base64'))
}

const product = await startProduct({ isFilled: true })
const browser = await chromium.launch({ executablePath: await chromePath(), args: ['--no-sandbox', '--disable-gpu'] })
try {
  for (const { file, ...options } of [
    { file: 'install-phone.webp', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
    { file: 'install-desk.webp', viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 },
  ]) {
    const context = await browser.newContext({ baseURL: product.url, colorScheme: 'light', reducedMotion: 'reduce', ...options })
    const login = await context.request.post('/api/login', { data: holder })
    if (!login.ok()) throw new Error(await login.text())
    await take(await context.newPage(), file, options.deviceScaleFactor)
    await context.close()
  }
} finally {
  await browser.close()
  await product.stop()
}
