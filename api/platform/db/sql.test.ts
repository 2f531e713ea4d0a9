import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const api = path.resolve(import.meta.dirname, '../..')

/** Whole statements as text: by our helper, or by an executed Kysely template. */
const TEXT = /from '(#api\/platform\/db|\.\.?(\/\w+)*)\/sql\.ts'|`\s*\.execute\(/
const REASON = /^\/\/ SQL as text: \S.+/m

/** The files that have it, each with its reason in a comment (decisions/0026). */
const known = [
  'entities/prepareDatabase.ts',
  'office/exports/readAllRows.ts',
  'office/lists/listAllPurchases.ts',
  'office/lists/listPendingReviews.ts',
  'office/lists/readPage.ts',
  'office/lists/searchPage.ts',
  'operations/health/leaderHealth.ts',
  'operations/health/workHealth.ts',
  'operations/readMeasures.ts',
  'platform/events/StreamSlots.ts',
  'platform/events/recordChange.ts',
  'platform/http/sessionStore.ts',
  'rewards/daily/payCorrections.ts',
  'rewards/daily/payDay.ts',
  'rewards/ledger/moveXcr.ts',
  'rewards/ledger/prepareLedgerMonths.ts',
  'sale/deposits/ignoreDust.ts',
  'sale/deposits/storeDeposits.ts',
  'sale/deposits/verifyTransactions.ts',
  'sale/purchases/listPurchases.ts',
  'sale/purchases/reservationRows.ts',
  'sale/purchases/unpaidHolds.ts',
  'sale/supply/allocateNodes.ts',
  'withdrawals/statement/readStatement.ts',
]

/** Tests may use text, and so may the integrity checks, which compare the tables without relying on the entities. */
const files = globSync('**/*.ts', { cwd: api })
  .filter((file) => !file.endsWith('.test.ts') && !/^(integrity|migrations|testing|stress)\//.test(file))
  .filter((file) => TEXT.test(readFileSync(path.join(api, file), 'utf8')))
  .toSorted()

test('SQL as text is in the named files only, at most 25', () => {
  expect(files).toEqual(known)
  expect(files.length).toBeLessThanOrEqual(25)
})

test('each file with SQL as text says why', () => {
  expect(files.filter((file) => !REASON.test(readFileSync(path.join(api, file), 'utf8')))).toEqual([])
})
