import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
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

/** Where Debian puts the sources of Go's packages. */
const goPath = '/usr/share/gocode'
const hasGo = hasTool('go') && existsSync(path.join(goPath, 'src/golang.org/x/mod/sumdb/note'))

test.skipIf(!hasGo)('Go agrees with every signed note, root and proof (skipped without golang-golang-x-mod-dev)', () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, GO111MODULE: 'off', GOPATH: goPath }
  expect(execFileSync(findTool('go'), ['run', file('check.go'), file('vectors.json')], { encoding: 'utf8', env })).toMatch(
    /: Go agrees\n$/,
  )
})
