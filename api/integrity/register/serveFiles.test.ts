import { request } from 'node:http'
import { once } from 'node:events'
import { beforeEach, expect, test } from 'vitest'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { useDatabase } from '#api/testing/database.ts'
import { exampleDay, exampleHashes, exampleSizes, forgetLog, publishExample } from '#api/testing/publishExample.ts'
import { startServer, type TestServer } from '#api/testing/server.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { readRange } from './answerFile.ts'
import { PublicFiles } from './PublicFiles.ts'
import { verify } from './verify.mjs'
import vectors from './vectors/vectors.json' with { type: 'json' }

const { log } = vectors
const database = useDatabase()
const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'
const DAY = '2026-11-23'
const FIRST_SIZE = exampleSizes[0]!

let server: TestServer

beforeEach(async () => {
  await forgetLog(database.superuser)
  server = await startServer(database)
})

const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url}/register/${name}`, { method, headers })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('before the first entry there are no files', async () => {
  for (const name of ['checkpoint', 'log/0.txt', 'log/hashes.bin', 'keys.txt', `days/${DAY}.bin`])
    expect((await get(name)).status, name).toBe(404)
})

test('the files have the bytes, types and cache rules of the format', async () => {
  await publishExample(database.orm)
  const { leaves, blockHashes } = exampleDay(DAY)
  const final = 'public, max-age=31536000, immutable'
  const expected: [name: string, bytes: Buffer, type: string, cache: string][] = [
    ['checkpoint', Buffer.from(log.checkpoints.at(-1)!.note), TEXT, 'no-cache'],
    ['log/0.txt', Buffer.from(log.file), TEXT, 'no-cache'],
    ['log/hashes.bin', Buffer.concat(exampleHashes), BYTES, 'no-cache'],
    ['log/blocks.bin', Buffer.alloc(0), BYTES, 'no-cache'],
    ['keys.txt', Buffer.from(log.keys), TEXT, 'no-cache'],
    [`days/${DAY}.bin`, leaves, BYTES, final],
    [`days/${DAY}.hashes.bin`, blockHashes, BYTES, final],
    ['format.md', readFileSync(path.join(import.meta.dirname, 'format.md')), 'text/markdown; charset=utf-8', 'no-cache'],
    ['verify.mjs', readFileSync(path.join(import.meta.dirname, 'verify.mjs')), 'text/javascript; charset=utf-8', 'no-cache'],
  ]
  for (const [name, bytes, type, cache] of expected) {
    const response = await get(`${name}?x=1`)
    expect([name, response.status]).toEqual([name, 200])
    expect((await bytesOf(response)).equals(bytes), name).toBe(true)
    expect(Object.fromEntries(response.headers), name).toMatchObject({
      'content-type': type,
      'cache-control': cache,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers.getSetCookie(), name).toEqual([])
  }
})

test('a verifier of its own reads them', async () => {
  await publishExample(database.orm)
  const { ticks } = await verify('all', {
    site: server.url,
    origin: 'nodes.example.com',
    now: Date.parse('2026-11-26T10:00:00.000Z'),
  })
  const outcomes = Object.fromEntries([...ticks].map(([name, { outcome }]) => [name, outcome]))
  expect(outcomes).toMatchObject({ signature: 'ok', entries: 'ok', E1: 'ok', E2: 'ok', E3: 'ok', E4: 'ok', E5: 'ok', E8: 'ok' })
})

test('single ranges, HEAD and revalidation are answered, and every other form with the whole file', async () => {
  await publishExample(database.orm)
  const name = `days/${DAY}.bin`
  const { leaves } = exampleDay(DAY)
  const { length } = leaves
  const etag = (await get(name)).headers.get('etag')!
  const cases: [headers: Record<string, string>, status: number, part: [number, number]][] = [
    [{ range: 'bytes=0-51' }, 206, [0, 52]],
    [{ range: 'bytes=13312-' }, 206, [13_312, length]],
    [{ range: `bytes=${length - 1}-999999` }, 206, [length - 1, length]],
    [{ range: 'bytes=0-51', 'if-range': etag }, 206, [0, 52]],
    [{ range: 'bytes=0-51', 'if-range': '"other"' }, 200, [0, length]],
    [{ range: 'bytes=-52' }, 200, [0, length]],
    [{ range: 'bytes=0-1,4-5' }, 200, [0, length]],
    [{ range: 'bytes=5-4' }, 200, [0, length]],
    [{ range: 'leaves=0-1' }, 200, [0, length]],
    [{ range: `bytes=${length}-` }, 416, [0, 0]],
    [{ 'if-none-match': etag }, 304, [0, 0]],
    [{ 'if-none-match': `"a", W/${etag}` }, 304, [0, 0]],
    [{ 'if-none-match': '"a"' }, 200, [0, length]],
  ]
  for (const [headers, status, [start, end]] of cases) {
    const [whole, head] = [await get(name, headers), await get(name, headers, 'HEAD')]
    expect([headers, whole.status, head.status]).toEqual([headers, status, status])
    expect((await bytesOf(whole)).equals(leaves.subarray(start, end)), JSON.stringify(headers)).toBe(true)
    expect(await bytesOf(head)).toEqual(Buffer.alloc(0))
    expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'))
    if (status === 206) expect(whole.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${length}`)
    if (status === 416) expect(whole.headers.get('content-range')).toBe(`bytes */${length}`)
  }
})

test('no range leaves the file', () => {
  for (let length = 0; length < 6; length++)
    for (let first = 0; first < 8; first++)
      for (const last of ['', ...Array.from({ length: 8 }, (_, index) => String(index))]) {
        const range = readRange(`bytes=${first}-${last}`, length)
        if (typeof range !== 'object') continue
        expect(range.start).toBe(first)
        expect(range.end).toBeGreaterThan(range.start)
        expect(range.end).toBeLessThanOrEqual(length)
      }
})

test('only files of the format exist, and only for reading', async () => {
  await publishExample(database.orm)
  const names = ['', 'constructor', '__proto__', 'log/00.txt', 'log/1.txt', 'log/-1.txt', 'log/hashes', 'days/2026-13-01.bin']
  for (const name of [...names, 'days/2026-11-19.bin', `days/${DAY}.bin/`, 'verify.test.ts', '..%2f..%2fpackage.json', '%']) {
    const response = await get(name)
    expect([name, response.status, response.headers.get('cache-control')]).toEqual([name, 404, 'no-store'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const response = await get('checkpoint', {}, method)
    expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
  }
  const preflight = await get(
    'checkpoint',
    { origin: 'https://other.example', 'access-control-request-headers': 'range' },
    'OPTIONS',
  )
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Range')
})

test('a path that leaves the folder is not a file', async () => {
  const { hostname, port } = new URL(server.url)
  const sent = request({ hostname, port, path: '/register/../../package.json', agent: false }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  expect(response.statusCode).toBe(404)
})

test('a reader whose checkpoint came from another process gets files that hold it', async () => {
  await publishExample(database.orm, { upTo: FIRST_SIZE })
  const other = await startServer(database)
  const ofOther = (name: string, headers?: Record<string, string>) =>
    fetch(`${other.url}/register/${name}`, { ...(headers && { headers }) }).then(bytesOf)
  expect((await ofOther('log/hashes.bin')).length).toBe(32 * FIRST_SIZE)

  await publishExample(database.orm)
  expect((await get('checkpoint').then(bytesOf)).toString()).toBe(log.checkpoints.at(-1)!.note)

  const wanted = { range: `bytes=${32 * FIRST_SIZE}-` }
  expect((await ofOther('log/hashes.bin', wanted)).length).toBe(32 * (log.entries.length - FIRST_SIZE))
})

test('a reader past all caches gets the newest bytes of a growing file', async () => {
  await publishExample(database.orm, { upTo: FIRST_SIZE })
  const before = await get('log/0.txt')
  await before.arrayBuffer()
  await publishExample(database.orm)
  const after = await get('log/0.txt', { 'cache-control': 'no-cache' })
  expect((await bytesOf(after)).toString('latin1')).toBe(log.file)
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
})

test('a reader past all caches gets the newest checkpoint at once, like figures that come straight from the database', async () => {
  await publishExample(database.orm, { upTo: FIRST_SIZE })
  expect((await get('checkpoint').then(bytesOf)).toString()).toBe(log.checkpoints[0]!.note)
  await publishExample(database.orm)
  const after = await get('checkpoint', { 'cache-control': 'no-cache' })
  expect((await bytesOf(after)).toString()).toBe(log.checkpoints.at(-1)!.note)
})

test('what is known is served while the database is away, an old checkpoint and the rest are asked for again', async () => {
  await publishExample(database.orm)
  let [isAway, now] = [false, 0]
  const orm = {
    get em() {
      if (isAway) throw new Error('The database is away.')
      return database.orm.em
    },
  }
  const files = new PublicFiles({ orm }, () => now)
  await files.find('checkpoint')
  await files.find(`days/${DAY}.bin`)
  isAway = true
  now += 2 * SECOND
  await expect(files.find('checkpoint')).resolves.toBeDefined()
  now += MINUTE
  await expect(files.find('checkpoint')).rejects.toThrow('away')
  await expect(files.find('log/hashes.bin')).resolves.toMatchObject({ bytes: Buffer.concat(exampleHashes) })
  await expect(files.find(`days/${DAY}.bin`)).resolves.toMatchObject({ isFinal: true })
  await expect(files.find('log/hashes.bin', { isFresh: true })).rejects.toThrow('away')
  await expect(files.find('log/0.txt')).rejects.toThrow('away')
})
