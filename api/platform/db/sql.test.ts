import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const api = path.resolve(import.meta.dirname, '../..')

/** Text of whole statements: by our helper, or by a template of Kysely that is executed. */
const TEXT = /from '(#api\/platform\/db|\.\.?(\/\w+)*)\/sql\.ts'|`\s*\.execute\(/
const REASON = /^\/\/ SQL as text: \S.+/m

/** What tests use may be text, and so may the integrity checks: they compare the tables with each other without the entities' help. */
const files = globSync('**/*.ts', { cwd: api })
  .filter((file) => !file.endsWith('.test.ts') && !/^(integrity|migrations|testing|stress)\//.test(file))
  .filter((file) => TEXT.test(readFileSync(path.join(api, file), 'utf8')))
  .toSorted()

const says = (file: string) => REASON.test(readFileSync(path.join(api, file), 'utf8'))

test('at most 25 files have SQL as text, and each says why', () => {
  const unconverted = /^(accounts|app|dev|entities|office|operations|pages|platform|rewards|sale|withdrawals)\//
  expect(files.filter((file) => !unconverted.test(file) && !says(file))).toEqual([])
  expect(files.filter(says).length).toBeLessThanOrEqual(25)
})
