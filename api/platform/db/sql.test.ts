import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const api = path.resolve(import.meta.dirname, '../..')

/** Whole statements as text: by our helper, or by an executed Kysely template. */
const TEXT = /from '(#api\/platform\/db|\.\.?(\/\w+)*)\/sql\.ts'|`\s*\.execute\(/
const REASON = /^\/\/ SQL as text: \S.+/m

/** Tests may use text, and so may the integrity checks, which compare the tables without relying on the entities. */
const files = globSync('**/*.ts', { cwd: api })
  .filter((file) => !file.endsWith('.test.ts') && !/^(integrity|migrations|testing|stress)\//.test(file))
  .filter((file) => TEXT.test(readFileSync(path.join(api, file), 'utf8')))
  .toSorted()

const says = (file: string) => REASON.test(readFileSync(path.join(api, file), 'utf8'))

test('at most 25 files contain SQL as text, each with its reason', () => {
  const unconverted = /^(accounts|app|dev|entities|office|operations|pages|platform|rewards|sale|withdrawals)\//
  expect(files.filter((file) => !unconverted.test(file) && !says(file))).toEqual([])
  expect(files.filter(says).length).toBeLessThanOrEqual(25)
})
