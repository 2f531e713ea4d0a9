import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findTool, hasTool } from '#api/testing/findTool.ts'

const file = (name: string) => path.join(import.meta.dirname, name)

test('the generator writes the vectors byte for byte', () => {
  expect(execFileSync(process.execPath, [file('generate.mjs')], { encoding: 'utf8' })).toBe(
    readFileSync(file('vectors.json'), 'utf8'),
  )
})

test.skipIf(!hasTool('python3'))('a second implementation agrees with every vector (skipped without python3)', () => {
  expect(execFileSync(findTool('python3'), [file('check.py')], { encoding: 'utf8' })).toMatch(/ lies: Python agrees\n$/)
})
