import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { useDatabase } from '#api/testing/database.ts'
import { startServer } from '#api/testing/server.ts'
import { createHttpServer } from '#api/platform/http/createHttpServer.ts'

const database = useDatabase()

/** Sends raw bytes, closes the sending side, and returns everything received until the server closes the connection. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.end(Buffer.from(bytes, 'latin1'))
  return text(socket)
}

const lines = (...all: string[]): string => [...all, '', ''].join('\r\n')
const post = (...headers: string[]): string =>
  lines('POST /api/logout HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...headers)
/** Bytes that a vulnerable server would parse as the next request on a connection shared through a proxy. */
const smuggled = lines('GET /api/smuggled HTTP/1.1', 'Host: a')

const ambiguous: [name: string, bytes: string][] = [
  ['a length and chunks', post('Content-Length: 4', 'Transfer-Encoding: chunked') + `0\r\n\r\n${smuggled}`],
  ['two lengths', post('Content-Length: 0', `Content-Length: ${smuggled.length}`) + smuggled],
  ['a list of lengths', post(`Content-Length: 0, ${smuggled.length}`) + smuggled],
  ['a length with a sign', post('Content-Length: +0') + smuggled],
  ['a length in another base', post('Content-Length: 0x0') + smuggled],
  ['chunked as a coding other than the last', post('Transfer-Encoding: chunked, identity') + `0\r\n\r\n${smuggled}`],
  ['an unknown coding', post('Transfer-Encoding: xchunked') + `0\r\n\r\n${smuggled}`],
  ['a space before the colon', post('Transfer-Encoding : chunked') + `0\r\n\r\n${smuggled}`],
  ['a folded header', post('X-A: a', ' Transfer-Encoding: chunked', 'Transfer-Encoding:', ' chunked') + `0\r\n\r\n${smuggled}`],
  ['a bare CR in a header', post('X-A: a\rTransfer-Encoding: chunked') + `0\r\n\r\n${smuggled}`],
  ['a NUL in a header', post('X-A: a\0b') + smuggled],
  ['a chunk size that is too large', post('Transfer-Encoding: chunked') + `${'f'.repeat(17)}\r\n${smuggled}`],
  ['an invalid chunk size', post('Transfer-Encoding: chunked') + `0x0\r\n\r\n${smuggled}`],
  ['a bare LF in a chunk extension', post('Transfer-Encoding: chunked') + `2;a\n{}\r\n0\r\n\r\n${smuggled}`],
]

test('an ambiguous request is refused, and the bytes after it are not parsed as another request', async () => {
  const { url } = await startServer(database)

  for (const [name, bytes] of ambiguous)
    expect((await exchange(url, bytes)).match(/HTTP\/1\.1 \d+/g), name).toEqual(['HTTP/1.1 400'])
})

test('a request without a host or with two hosts is refused', async () => {
  const { url } = await startServer(database)

  expect(await exchange(url, lines('GET /api/config HTTP/1.1'))).toContain('HTTP/1.1 400')
  expect(await exchange(url, lines('GET /api/config HTTP/1.1', 'Host: a', 'Host: b'))).not.toContain('HTTP/1.1 5')
})

test('headers of more than 16 KiB are refused', async () => {
  const { url } = await startServer(database)

  expect(await exchange(url, lines('GET /api/config HTTP/1.1', 'Host: a', `X-A: ${'x'.repeat(20_000)}`))).toContain(
    'HTTP/1.1 431',
  )
})

test('a connection that closes during a request is not reported as an error', async () => {
  const { url } = await startServer(database)
  const partial = post('Content-Length: 100')

  // The test fails if the server reports an error.
  for (const part of [partial.slice(0, 20), partial, `${partial}{"a":`]) await exchange(url, part)
  const chunked = await exchange(url, `${post('Transfer-Encoding: chunked')}5\r\n{"a"`)

  expect(chunked).not.toContain('HTTP/1.1 5')
})

test('slow requests and idle connections time out', () => {
  const server = createHttpServer({ api: () => {}, pages: () => {} })

  expect(server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 20_000 })
  server.close()
})
