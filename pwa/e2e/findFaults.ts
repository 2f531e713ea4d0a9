import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { keepPictures } from './keepPictures.ts'

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** As wide as 1,280 pixels at a zoom of 400 %: what WCAG 2.2 (1.4.10) demands that a page fits. */
const NARROW = { width: 320, height: 640 }

/** What a page, with whatever is open on it, has against WCAG 2.2 AA, in the light and in the dark. `place` names it in the answer. */
export async function findFaults(page: Page, place: string): Promise<string[]> {
  const faults = []
  for (const colorScheme of ['light', 'dark'] as const) {
    // Nothing is looked at while it appears.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const fault of await runAxe(page)) faults.push(`${place}, ${colorScheme}: ${fault}`)
  }
  return faults
}

/** The same on a narrow screen, and what sticks out of it. */
export async function findNarrowFaults(page: Page, place: string): Promise<string[]> {
  const viewport = page.viewportSize()!
  await page.setViewportSize(NARROW)
  const faults = [...(await runAxe(page)), ...(await findOverflow(page)), ...(await findBrokenWords(page))]
  await page.setViewportSize(viewport)
  await keepPictures(page, place)
  return faults.map((fault) => `${place}, narrow: ${fault}`)
}

async function runAxe(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (tags) => {
    const { violations } = await (window as never as { axe: typeof axe }).axe.run({ runOnly: tags })
    // A menu that floats above the page is no landmark of it.
    const isInMenu = (selector: string) =>
      document.querySelector(selector)?.closest('[data-radix-popper-content-wrapper]') != null
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .map(({ target, failureSummary }) => ({ at: target.join(' '), why: failureSummary?.replaceAll(/\s+/g, ' ') }))
        .filter(({ at }) => !(id === 'region' && isInMenu(at)))
        .map(({ at, why }) => `${id} at ${at}. ${why}`),
    )
  }, rules)
}

/** Whatever reaches over the right edge, unless it lies in a box that scrolls. */
const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    if (document.documentElement.scrollWidth <= window.innerWidth) return []
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > window.innerWidth,
    )
    // The innermost come last.
    const named = wide.slice(-3).map((element) => element.outerHTML.slice(0, 160))
    return [`sticks out: ${named.join(' ; ')}`]
  })

/** Words that are broken over lines because their column is too narrow; an address or a hash is longer than a word. */
const findBrokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const broken: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (!text.parentElement?.checkVisibility() || text.parentElement.closest('.sr-only')) continue
      for (const { 0: word, index } of (text.textContent ?? '').matchAll(/(?<![\p{L}\p{N}])\p{L}{2,15}(?![\p{L}\p{N}])/gu)) {
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(`broken word: ${word}`)
      }
    }
    return broken
  })
