import { writeFile } from 'node:fs/promises'
import { chromium } from 'playwright-core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { chromePath } from '../e2e/chromePath.ts'
import { History, type Icon, ShoppingCart } from './icons.ts'
import { lit, points } from './mark.ts'

// Draws the icons in pwa/public from the mark: `node pwa/ui/drawIcons.ts`. The results are committed; run it after changing the
// mark.

const night = '#0b0d12'
const accent = '#9db0ff'
const ink = '#505a6b'
const publicFolder = new URL('../public/', import.meta.url)

/** `share`: the mark's share of the square. A maskable icon may be cropped to a circle, so its mark is smaller. */
const icon = (share: number, radius: number) => {
  const side = 32 / share
  const shift = (side - 32) / 2
  const dots = points.map(({ x, y }, at) => {
    const isLit = lit.includes(at)
    return `<circle cx="${x + shift}" cy="${y + shift}" r="${isLit ? 4 : 2.25}" fill="${isLit ? accent : ink}"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}"><rect width="${side}" height="${side}" rx="${side * radius}" fill="${night}"/>${dots.join('')}</svg>\n`
}

/** Icons of the shortcuts that a long press on the app's icon shows. */
const shortcut = (icon: Icon) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="${24 * 0.22}" fill="${night}"/>${renderToStaticMarkup(createElement(icon, { x: 5, y: 5, width: 14, height: 14, color: accent }))}</svg>`

const browser = await chromium.launch({ executablePath: await chromePath(), args: ['--no-sandbox'] })
const page = await browser.newPage()

async function png(file: string, size: number, svg: string) {
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(`<style>html,body{margin:0;background:transparent}svg{display:block;width:${size}px}</style>${svg}`)
  await writeFile(new URL(file, publicFolder), await page.screenshot({ omitBackground: true }))
}

await writeFile(new URL('favicon.svg', publicFolder), icon(0.72, 0.22))
for (const size of [192, 512]) {
  await png(`icon-${size}.png`, size, icon(0.62, 0.22))
  await png(`icon-maskable-${size}.png`, size, icon(0.5, 0))
}
await png('shortcut-buy.png', 192, shortcut(ShoppingCart))
await png('shortcut-history.png', 192, shortcut(History))
await png('apple-touch-icon.png', 180, icon(0.58, 0))
await browser.close()
