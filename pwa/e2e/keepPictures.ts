import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'

const viewports = {
  narrow: { width: 320, height: 640 },
  phone: { width: 390, height: 844 },
  desk: { width: 1440, height: 900 },
}

/** Saves screenshots of the current page in both themes and three widths to the folder in `PICTURES`; does nothing without it. */
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
      await page.evaluate(waitForPaint)
      await page.screenshot({ path: path.join(folder, `${name}.${size}.${colorScheme}.png`) })
    }
  }
  await page.setViewportSize(before)
}

/** Canvases repaint in the frames after a change of size or theme. */
const waitForPaint = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
