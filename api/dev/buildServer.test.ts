import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { bundleFolder, listSources } from '#api/platform/loadProgram.ts'
import { buildServer } from './buildServer.ts'

test('the server is bundled once, and its programs run from the bundle', async () => {
  await buildServer()
  const bundle = bundleFolder(listSources())
  const { ino } = statSync(bundle)
  await buildServer()
  expect(statSync(bundle).ino).toBe(ino)

  const help = (program: string) => execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8' })
  for (const [name, usage] of [
    ['operator', 'Usage: npm run admin'],
    ['audit', 'npm run audit [-- --all]'],
  ] as const)
    expect(help(path.join(bundle, `${name}.js`))).toContain(usage)
})
