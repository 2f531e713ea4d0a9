import { readFileSync } from 'node:fs'
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
