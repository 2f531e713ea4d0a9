import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { keepPictures } from './keepPictures.ts'

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Those of them whose outcome depends on colors. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** 1,280 pixels at 400 % zoom: the width that WCAG 2.2 (1.4.10) requires a page to fit. */
const NARROW = { width: 320, height: 640 }

/** 390 pixels, a phone, at 200 % zoom. */
const TINY = { width: 195, height: 422 }

/** Violations of WCAG 2.2 AA on a page with its open overlays, in both themes. `place` names the page in the result. */
export async function findFaults(page: Page, place: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const faults = (await runAxe(page)).map((fault) => `${place}, light: ${fault}`)
  // The themes differ in nothing but colors.
  await page.emulateMedia({ colorScheme: 'dark' })
  for (const fault of await runAxe(page, colorRules)) faults.push(`${place}, dark: ${fault}`)
  return faults
}

/** The same on a narrow screen, and horizontal overflow. */
export async function findNarrowFaults(page: Page, place: string): Promise<string[]> {
  const viewport = page.viewportSize()!
  await page.setViewportSize(NARROW)
  const faults = [...(await runAxe(page)), ...(await findOverflow(page)), ...(await findBrokenWords(page))]
  await page.setViewportSize(viewport)
  await keepPictures(page, place)
  return faults.map((fault) => `${place}, narrow: ${fault}`)
}

/** Whether the page scrolls sideways on a phone whose page is enlarged to 200 %. */
export async function findTinyFaults(page: Page, place: string): Promise<string[]> {
  const viewport = page.viewportSize()!
  await page.setViewportSize(TINY)
  const faults = await findOverflow(page)
  await page.setViewportSize(viewport)
  return faults.map((fault) => `${place}, tiny: ${fault}`)
}

/** Whether the page scrolls sideways, hides buttons or breaks figures where text has twice its size, as browsers can show it. */
export async function findLargeTextFaults(page: Page, place: string): Promise<string[]> {
  const setSize = (size: string) => page.evaluate((value) => void (document.documentElement.style.fontSize = value), size)
  const viewport = page.viewportSize()!
  await setSize('200%')
  const faults = []
  for (const size of [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size)
    const found = [
      ...(await findOverflow(page)),
      ...(await findCutButtons(page)),
      ...(await findBrokenFigures(page)),
      ...(await findSpills(page)),
    ]
    faults.push(...found.map((fault) => `${size.width} pixels wide, ${fault}`))
  }
  await setSize('')
  await page.setViewportSize(viewport)
  return faults.map((fault) => `${place}, large text: ${fault}`)
}

async function runAxe(page: Page, checked = rules): Promise<string[]> {
  // Ends animations: colors that fade in have too little contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (tags) => {
    // Without `resultTypes` axe also computes a selector for every element that passes.
    const { violations } = await (window as never as { axe: typeof axe }).axe.run({ runOnly: tags, resultTypes: ['violations'] })
    // A floating menu does not need to be inside a landmark.
    const isInMenu = (selector: string) =>
      document.querySelector(selector)?.closest('[data-radix-popper-content-wrapper]') != null
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .map(({ target, failureSummary }) => ({ at: target.join(' '), why: failureSummary?.replaceAll(/\s+/g, ' ') }))
        .filter(({ at }) => !(id === 'region' && isInMenu(at)))
        .map(({ at, why }) => `${id} at ${at}. ${why}`),
    )
  }, checked)
}

/** Elements that extend beyond the right edge, unless inside a scrolling container. */
const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    if (document.documentElement.scrollWidth <= window.innerWidth) return []
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > window.innerWidth,
    )
    // The innermost element comes last.
    const named = wide.slice(-3).map((element) => element.outerHTML.slice(0, 160))
    return [`sticks out: ${named.join(' ; ')}`]
  })

/** Buttons that begin left of the page, where nobody can scroll to. */
const findCutButtons = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('td button')]
      .filter((button) => button.checkVisibility() && button.getBoundingClientRect().left < 0)
      .map((button) => `cut off: ${button.textContent}`),
  )

/** Cards of a list whose content is wider than they are. */
const findSpills = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main li.rounded-card')]
      .filter((card) => card.clientWidth > 0 && card.scrollWidth > card.clientWidth)
      .map((card) => `spills: ${card.textContent?.slice(0, 80)}`),
  )

/** Figures broken between two digits or at their decimal point. After a comma they may break, where their text is split. */
const findBrokenFigures = (page: Page): Promise<string[]> =>
  findBroken(page, 'figure', /(?<![\p{L}\p{N}])\d[\d,.]*\d(?![\p{L}\p{N}])/gu)

/** Words broken over several lines because their column is too narrow; addresses, hashes and keys may break, also one that ends in “...abbe”. */
const findBrokenWords = (page: Page): Promise<string[]> =>
  findBroken(page, 'word', /(?<![\p{L}\p{N}]|\.\.\.)\p{L}{2,15}(?![\p{L}\p{N}])/gu)

/** Parts of the visible texts that match and stand on several lines. */
const findBroken = (page: Page, name: string, pattern: RegExp): Promise<string[]> =>
  page.evaluate(
    ([name, pattern]) => {
      const broken: string[] = []
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const range = document.createRange()
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        if (!text.parentElement?.checkVisibility() || text.parentElement.closest('.sr-only, .exact')) continue
        for (const { 0: part, index } of (text.textContent ?? '').matchAll(pattern)) {
          range.setStart(text, index)
          range.setEnd(text, index + part.length)
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(`broken ${name}: ${part}`)
        }
      }
      return broken
    },
    [name, pattern] as const,
  )
