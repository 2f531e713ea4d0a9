import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { auditActions } from '#shared/auditActions.ts'
import { texts } from '#pwa/i18n/ko/office.ts'
import { actionNames } from './actionNames.ts'

const sources = readdirSync('api', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('migrations'))
  .map((file) => readFileSync(`api/${file}`, 'utf8'))
  .join('\n')

/** The codes of actions in the sources of the api. */
const written = new Set(
  [...sources.matchAll(/'((?:[a-z]+_)*[a-z]+\.[a-z_]+)'/g)]
    .map(([, code]) => code!)
    .filter((code) => (auditActions as readonly string[]).includes(code)),
)

test('every listed action is written by the api, which can write no other by its type', () => {
  expect(auditActions.filter((action) => !written.has(action))).toEqual([])
})

test('every action has a name of its own, in English and Korean', () => {
  const names = auditActions.map((action) => String(actionNames[action]))
  expect(Object.keys(actionNames)).toEqual([...auditActions])
  expect(names.filter((name) => /[._]/.test(name) || !(name in texts))).toEqual([])
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
})
