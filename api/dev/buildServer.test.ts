import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { bundleFolder, listSources, programs } from '#api/platform/loadProgram.ts'
import { buildServer } from './buildServer.ts'

const root = path.join(import.meta.dirname, '../..')

test('the server is bundled once, and its programs say the same from the bundle and from their sources', async () => {
  await buildServer()
  const bundle = bundleFolder(listSources())
  const { ino } = statSync(bundle)
  await buildServer()
  expect(statSync(bundle).ino).toBe(ino)

  const askFor = (program: string) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, '--help'], { encoding: 'utf8' })
    return { text: stdout + stderr, status }
  }
  for (const [name, source] of Object.entries(programs)) {
    const said = askFor(path.join(bundle, `${name}.js`))
    expect(said.text).toMatch(/Usage|npm run audit/)
    expect(askFor(path.join(root, source))).toEqual(said)
  }
})
