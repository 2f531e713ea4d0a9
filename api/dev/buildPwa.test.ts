import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { buildPwa } from './buildPwa.ts'

test('the PWA is not built again from the same sources', { timeout: 120_000 }, async () => {
  await buildPwa()
  expect(existsSync(path.join(import.meta.dirname, '../../pwa/dist/index.html'))).toBe(true)
  expect(await buildPwa()).toBe(false)
})
