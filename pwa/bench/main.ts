import path from 'node:path'
import { chromePath } from '../e2e/chromePath.ts'
import { startProduct } from '../e2e/startProduct.ts'
import { buildTemplate } from './buildTemplate.ts'
import { type PageFigures, measurePage, openBrowser } from './measurePage.ts'
import { measureSlowPhone, type SlowPhoneFigures } from './measureSlowPhone.ts'
import { serveFolder, serveWithoutScripts } from './servers.ts'

/**
 * Measures what somebody with a phone gets: bytes, LCP, TBT, CLS and Lighthouse's marks of the public pages, each beside the same page
 * as static HTML without scripts, and beside a wallet app as its template makes it, built for this run. `npm run bench:web`; fetches
 * the template from the npm registry. `npm run bench:web -- /auth` measures that page alone.
 */

const pages = ['/', '/purchase', '/auth']
const asked = process.argv.slice(2)
const workFolder = path.resolve(import.meta.dirname, '../../.cache/bench-web')

interface Line {
  page: string
  figure: string
  measured: string
  comparedWith: string
  /** Undefined where there is nothing to reach. */
  isMet?: boolean
}

const product = await startProduct({ isFilled: true })
const closers: (() => Promise<void>)[] = [() => product.stop()]
try {
  const executable = await chromePath()
  const template = await serveFolder(await buildTemplate(workFolder))
  closers.push(template.close)
  const bare = await serveWithoutScripts(product.url)
  closers.push(bare.close)
  const browser = await openBrowser(executable)
  closers.push(browser.close)

  const lines: Line[] = []
  const templateFigures = await measurePage(browser, template.url)
  for (const page of asked.length > 0 ? asked : pages) {
    console.log(`Measuring ${page} …`)
    const figures = await measurePage(browser, product.url + page)
    for (const fault of figures.faults) console.log(`${page} ${fault}`)
    lines.push(...comparePage(page, { figures, bare: await measurePage(browser, bare.url + page), template: templateFigures }))
  }
  lines.push(...judgeSlowPhone(await measureSlowPhone(executable, { url: product.url, bareUrl: bare.url })))
  console.table(
    Object.fromEntries(
      lines.map(({ page, figure, measured, comparedWith, isMet }) => [
        `${page} ${figure}`,
        { measured, 'compared with': comparedWith, met: isMet === undefined ? '' : isMet ? 'yes' : 'NO' },
      ]),
    ),
  )
  if (lines.some(({ isMet }) => isMet === false)) process.exitCode = 1
} finally {
  for (const close of closers.toReversed()) await close()
}

function comparePage(
  page: string,
  { figures, bare, template }: { figures: PageFigures; bare: PageFigures; template: PageFigures },
): Line[] {
  const marks = Object.entries(figures.marks).map(([name, mark]) => {
    const least = name === 'performance' ? 98 : 100
    return { page, figure: name, measured: String(mark), comparedWith: `at least ${least}`, isMet: mark >= least }
  })
  return [
    ...marks,
    {
      page,
      figure: 'LCP',
      measured: `${seconds(figures.lcp)}, ${(figures.lcp / bare.lcp).toFixed(2)} times`,
      comparedWith: `static HTML ${seconds(bare.lcp)}, at most 1.6 times`,
      isMet: figures.lcp <= bare.lcp * 1.6,
    },
    { page, figure: 'LCP beside the template', measured: seconds(figures.lcp), comparedWith: seconds(template.lcp) },
    {
      page,
      figure: 'TBT',
      measured: `${Math.round(figures.tbt)} ms`,
      comparedWith: `at most 50 ms (static HTML ${Math.round(bare.tbt)} ms, template ${Math.round(template.tbt)} ms)`,
      isMet: figures.tbt <= 50,
    },
    { page, figure: 'CLS', measured: figures.cls.toFixed(3), comparedWith: 'none', isMet: figures.cls === 0 },
    {
      page,
      figure: 'scripts, all that were loaded',
      measured: kilobytes(figures.scriptBytes),
      comparedWith: `template ${kilobytes(template.scriptBytes)}`,
    },
  ]
}

function judgeSlowPhone({ bare, content, usable, repeated }: SlowPhoneFigures): Line[] {
  const line = (figure: string, measured: number, most: number, beside = ''): Line => ({
    page: '/',
    figure,
    measured: seconds(measured),
    comparedWith: `at most ${seconds(most)}${beside}`,
    isMet: measured <= most,
  })
  return [
    line('on a slow phone, content', content, 1_000, ` (static HTML ${seconds(bare)})`),
    line('on a slow phone, usable', usable, 3_500),
    line('visited again, usable', repeated, 300),
  ]
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`
}
