import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { compile } from 'tailwindcss'
import { expect, test } from 'vitest'

type Theme = Record<string, string>

const css = readFileSync(`${import.meta.dirname}/tokens.css`, 'utf8')
const themes = { light: tokensOf(':root {'), dark: tokensOf(':root[data-theme="dark"] {') }

const backgrounds = ['surface', 'ink-1', 'ink-2', 'ink-3']
const pairs = {
  /** Body text: AAA. */
  7: ['ink-12', 'ink-11', 'ink-10'].flatMap((ink) => backgrounds.map((background) => [ink, background] as const)),
  /** Other text: AA. */
  4.5: [
    ...backgrounds.flatMap((background) => ['ink-9', 'accent', 'amber', 'red', 'green'].map((ink) => [ink, background] as const)),
    ...(['accent', 'amber', 'red', 'green'] as const).flatMap((state) => [[state, `${state}-soft`] as const]),
    ...(['accent', 'amber', 'red', 'green'] as const).flatMap((state) => [['ink-11', `${state}-soft`] as const]),
    ['on-accent', 'accent'],
    ['on-accent', 'accent-strong'],
    ['on-red', 'red'],
    ['ink-1', 'ink-12'],
  ],
  /** Borders of controls, focus rings and icons: 3 to 1. */
  3: backgrounds.slice(0, 3).flatMap((background) => [['ink-8', background] as const, ['accent', background] as const]),
} satisfies Record<number, (readonly [string, string])[]>

for (const [name, theme] of Object.entries(themes)) {
  for (const [least, pairsOfRatio] of Object.entries(pairs)) {
    test.each(pairsOfRatio)(`%s on %s reaches ${least}:1 in the ${name} theme`, (ink, background) => {
      expect(contrast(color(theme, ink), color(theme, background))).toBeGreaterThanOrEqual(Number(least))
    })
  }
}

test('both themes define the same tokens', () => {
  expect(Object.keys(themes.dark).sort()).toEqual(Object.keys(themes.light).sort())
})

test('every class for a width of the window has a rule: of an unknown one Tailwind says nothing', async () => {
  const root = path.join(import.meta.dirname, '..')
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.tsx') && !file.startsWith('dist/'),
  )
  const classes = new Set(
    sources.flatMap(
      (file) => readFileSync(path.join(root, file), 'utf8').match(/(?<![\w-])(max-)?(desk|sm|md|lg):[^\s'"`}]+/g) ?? [],
    ),
  )
  expect(classes.size).toBeGreaterThan(30)

  const library = createRequire(import.meta.url).resolve('tailwindcss/index.css')
  const { build } = await compile(css, {
    loadStylesheet: () => Promise.resolve({ path: library, base: path.dirname(library), content: readFileSync(library, 'utf8') }),
  })
  const rules = build([...classes])
  const missing = [...classes].filter((name) => !rules.includes(`.${name.replaceAll(/[^\w-]/g, String.raw`\$&`)}`))
  expect(missing).toEqual([])
})

function tokensOf(selector: string): Theme {
  const start = css.indexOf(selector) + selector.length
  const block = css.slice(start, css.indexOf('}', start))
  return Object.fromEntries([...block.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name!, value!]))
}

function color(theme: Theme, name: string): string {
  const value = theme[name]
  if (!value) throw new Error(`No token ${name}`)
  return value
}

/** WCAG 2.2 contrast ratio of two #rrggbb colors. */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
