import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'

const viewports = {
  narrow: { width: 320, height: 640 },
  phone: { width: 390, height: 844 },
  desk: { width: 1440, height: 900 },
}

/**
 * Keeps what is on the page now, in both themes and three widths, for people to look at: in the folder that `PICTURES` names, and nowhere
 * without one.
 */
export async function keepPictures(page: Page, place: string): Promise<void> {
  const { PICTURES: folder } = process.env
  if (!folder) return
  const before = page.viewportSize()!
  await mkdir(folder, { recursive: true })
  const name = place.replaceAll(/[^a-z0-9]+/gi, '-')
  for (const [size, viewport] of Object.entries(viewports)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(untilPainted)
      await page.screenshot({ path: path.join(folder, `${name}.${size}.${colorScheme}.png`) })
    }
  }
  await page.setViewportSize(before)
}

/** What paints itself follows the size and the theme with the next frames. */
const untilPainted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
