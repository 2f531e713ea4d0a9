import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const rules = new Set([...read('api/decisions/money.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => number))

test.each(readRows())('rule $rule is held by "$name" in $file', ({ rule, file, name }) => {
  expect(rules).toContain(rule)
  // A name in single quotes escapes its apostrophes.
  expect(read(file).replaceAll("\\'", "'")).toContain(name)
})

/** The rows below the table's head: `| rule | test file | test name |`. */
function readRows(): { rule: string; file: string; name: string }[] {
  const lines = read('api/decisions/money-tests.md').split('\n')
  return lines
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) => {
      const [, rule, file, name] = line.split('|').map((cell) => cell.trim())
      return { rule: rule!, file: file!, name: name! }
    })
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

test('each decision has the number of its file and fits a page', () => {
  const files = globSync('api/decisions/[0-9]*.md', { cwd: root }).toSorted()
  expect(files.map((file) => Number(path.basename(file).slice(0, 4)))).toEqual(files.map((_file, index) => index + 1))
  const texts = files.map((file) => read(file))
  expect(texts.map((text) => Number(/^# (\d+)\. \S/.exec(text)?.[1]))).toEqual(files.map((_file, index) => index + 1))
  // A printed page.
  expect(files.filter((_file, index) => texts[index]!.split(/\s+/).length > 600)).toEqual([])
})

test('decisions and the README name files that exist', () => {
  const texts = [...globSync('api/decisions/*.md', { cwd: root }), 'README.md'].map(read)
  const named = texts.flatMap((text) => [...text.matchAll(/[`(]((?:api|pwa|shared)\/[\w./-]+\.\w+)/g)].map(([, file]) => file!))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})

test('links of decisions and the README lead to files, and name the decision by its number', () => {
  const links = [...globSync('api/decisions/*.md', { cwd: root }), 'README.md'].flatMap((file) =>
    [...read(file).matchAll(/\[([^\]]+)\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, name, target]) => ({
      name: name!,
      file: path.join(path.dirname(file), target!),
    })),
  )
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter(({ file }) => !existsSync(path.join(root, file)))).toEqual([])
  const numbered = links.filter(({ name }) => /^\d+$/.test(name))
  expect(numbered.filter(({ name, file }) => Number(path.basename(file).slice(0, 4)) !== Number(name))).toEqual([])
})

test('comments name a section of the specification rather than its number', () => {
  const files = globSync('{api,pwa,shared}/**/*.{ts,tsx,md}', { cwd: root }).filter((file) => !file.includes('/dist/'))
  expect(files.filter((file) => /\bsections? \d/i.test(read(file)))).toEqual([])
})
