import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

/** A project of which only the start is the product's. */
function makeProject() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'program-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  for (const file of ['package.json', 'package-lock.json', 'api/main.ts', 'api/platform/loadProgram.ts'])
    cpSync(path.join(root, file), path.join(folder, file))
  write('api/startRoles.ts', `import { from } from '#shared/from.ts'\nconsole.log(from)`)
  write('shared/from.ts', `export const from = 'sources'`)
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim()
  return {
    write,
    start: () => node('api/main.ts'),
    bundle: () => {
      const bundle = node(
        '-p',
        `const { bundleFolder, listSources } = require('./api/platform/loadProgram.ts'); bundleFolder(listSources())`,
      )
      write(path.join(path.relative(folder, bundle), 'main.js'), `console.log('bundle')`)
      return bundle
    },
  }
}

test('a program runs from the bundle of its sources', () => {
  const project = makeProject()
  expect(project.start()).toBe('sources')
  const bundle = project.bundle()
  expect(project.start()).toBe('bundle')
  expect(readdirSync(bundle), 'its compiled code is deleted with it').toContain('compiled')
})

test.each([
  ['another source', 'shared/from.ts', `export const from = 'other sources'`, 'other sources'],
  ['one source more', 'api/more.ts', '', 'sources'],
  ['other libraries', 'package-lock.json', '{}', 'sources'],
])('with %s, a former bundle does not run', (_what, file, text, printed) => {
  const project = makeProject()
  project.bundle()
  project.write(file, text)
  expect(project.start()).toBe(printed)
})

test('tests are not part of a bundle', () => {
  const project = makeProject()
  project.bundle()
  for (const file of ['api/sale/buy.test.ts', 'api/testing/Buyer.ts', 'api/stress/load/buy.ts']) project.write(file, 'export {}')
  expect(project.start()).toBe('bundle')
})
