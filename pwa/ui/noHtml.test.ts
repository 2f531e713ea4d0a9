import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..')

/** APIs that bypass React's escaping of text. */
const raw =
  /dangerouslySetInnerHTML|\.(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|srcDoc|\beval\(|new Function\(|DOMParser/

test('no page inserts text as HTML or runs it: emails, notes and wallet names are rendered as text', () => {
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.(test|e2e)\.tsx?$|^(dist|e2e|testing)\//.test(file),
  )
  expect(sources.length).toBeGreaterThan(100)

  expect(sources.filter((file) => raw.test(readFileSync(path.join(root, file), 'utf8')))).toEqual([])
})
