import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import subsetFont from 'subset-font'

/**
 * `npm run font` makes inter.woff2: the characters, weights and features of Inter (SIL Open Font License 1.1) that the pages use,
 * less than half of its size. Other characters use the system font: tokens.css lists the same characters.
 */
const source = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
const ascii = String.fromCodePoint(...Array.from({ length: 0x7f - 0x20 }, (_, index) => 0x20 + index))
const others = '\u00a0©·×–—‘’“”…€₮→↑↓−'

const font = await subsetFont(await readFile(new URL(source)), ascii + others, {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 420, max: 600 } },
  keepFeatures: ['kern', 'mark', 'ccmp', 'calt', 'tnum', 'lnum', 'zero', 'cv05', 'cv08', 'ss02', 'ss03'],
})
await writeFile(path.join(import.meta.dirname, 'inter.woff2'), font)
console.log(`inter.woff2: ${font.length} bytes`)
