import { expect, onTestFinished, test, vi } from 'vitest'
import { fetchChunks } from './fetchChunks.ts'

const worker = 'e([{"revision":null,"url":"assets/wordOf-BWTpm9JW.js"},{"url":"index.html"},{"url":"assets/a.es5-1.js"}])'

function setUp(connection?: { saveData?: boolean; effectiveType?: string }) {
  vi.stubGlobal('navigator', { connection })
  onTestFinished(() => void vi.unstubAllGlobals())
  const fetched: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    fetched.push(path)
    return new Response(worker)
  })
  return fetched
}

test('every script that the service worker would store is fetched', async () => {
  const fetched = setUp({ saveData: false, effectiveType: '4g' })
  await fetchChunks()
  expect(fetched).toEqual(['/sw.js', '/assets/wordOf-BWTpm9JW.js', '/assets/a.es5-1.js'])
})

test.each([{ saveData: true }, { effectiveType: '2g' }, { effectiveType: 'slow-2g' }])('nothing on %o', async (connection) => {
  const fetched = setUp(connection)
  await fetchChunks()
  expect(fetched).toEqual([])
})
