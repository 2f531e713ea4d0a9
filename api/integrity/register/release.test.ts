import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listBuild, readRelease } from './release.ts'
import { sha256 } from './verify.mjs'

const hashOf = (text: string) => sha256(Buffer.from(text)).toString('base64')

function makeBuild(files: Record<string, string>): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'build-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

test('the list names each file of the build with its hash, in the order of bytes', async () => {
  const dist = makeBuild({
    'index.html': 'a',
    'index.html.br': 'b',
    'assets/Z.js': 'c',
    'assets/a.js': 'd',
    'assets/a.js.gz': 'e',
  })
  const lines = [`${hashOf('c')} /assets/Z.js`, `${hashOf('d')} /assets/a.js`, `${hashOf('a')} /index.html`]
  expect((await listBuild(dist))?.toString()).toBe(`${lines.join('\n')}\n`)
})

test('a release has the hashes of the verifier, the list and the format, and needs a built page', async () => {
  const release = await readRelease(makeBuild({ 'index.html': 'a' }))
  const beside = (name: string) => new Uint8Array(sha256(readFileSync(path.join(import.meta.dirname, name))))
  expect(release).toEqual({
    verify: beside('verify.mjs'),
    page: new Uint8Array(sha256(Buffer.from(`${hashOf('a')} /index.html\n`))),
    format: beside('format.md'),
  })
  expect(await readRelease(makeBuild({}))).toBeUndefined()
})
