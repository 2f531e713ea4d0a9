import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { compile } from './compile.ts'

test('the generated contracts match their sources', () => {
  for (const [file, text] of Object.entries(compile()))
    expect(readFileSync(path.join(import.meta.dirname, 'generated', file), 'utf8'), `${file}: run npm run contracts`).toBe(text)
})
