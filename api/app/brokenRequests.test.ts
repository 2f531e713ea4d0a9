import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { useDatabase } from '#api/testing/database.ts'
import { startServer } from '#api/testing/server.ts'
import { createHttpServer } from '#api/platform/http/createHttpServer.ts'

const database = useDatabase()

/** Sends bytes as they are, closes this side, and answers all that came back until the other side closed too. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.end(Buffer.from(bytes, 'latin1'))
  return text(socket)
}

const lines = (...all: string[]): string => [...all, '', ''].join('\r\n')
const post = (...headers: string[]): string =>
  lines('POST /api/logout HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...headers)
/** What somebody hopes is taken for the next request, of whoever comes after him over the same proxy. */
const smuggled = lines('GET /api/smuggled HTTP/1.1', 'Host: a')

const ambiguous: [name: string, bytes: string][] = [
  ['a length and chunks', post('Content-Length: 4', 'Transfer-Encoding: chunked') + `0\r\n\r\n${smuggled}`],
  ['two lengths', post('Content-Length: 0', `Content-Length: ${smuggled.length}`) + smuggled],
  ['a list of lengths', post(`Content-Length: 0, ${smuggled.length}`) + smuggled],
  ['a length with a sign', post('Content-Length: +0') + smuggled],
  ['a length in another base', post('Content-Length: 0x0') + smuggled],
  ['chunks that are not the last coding', post('Transfer-Encoding: chunked, identity') + `0\r\n\r\n${smuggled}`],
  ['an unknown coding', post('Transfer-Encoding: xchunked') + `0\r\n\r\n${smuggled}`],
  ['a space before the colon', post('Transfer-Encoding : chunked') + `0\r\n\r\n${smuggled}`],
  ['a folded header', post('X-A: a', ' Transfer-Encoding: chunked', 'Transfer-Encoding:', ' chunked') + `0\r\n\r\n${smuggled}`],
  ['a bare CR in a header', post('X-A: a\rTransfer-Encoding: chunked') + `0\r\n\r\n${smuggled}`],
  ['a NUL in a header', post('X-A: a\0b') + smuggled],
  ['a size of a chunk that is too large', post('Transfer-Encoding: chunked') + `${'f'.repeat(17)}\r\n${smuggled}`],
  ['a size of a chunk that is none', post('Transfer-Encoding: chunked') + `0x0\r\n\r\n${smuggled}`],
  ['a bare LF in an extension of a chunk', post('Transfer-Encoding: chunked') + `2;a\n{}\r\n0\r\n\r\n${smuggled}`],
]

test('a request that two programs could read in two ways is refused, and what follows is not taken for another one', async () => {
  const { url } = await startServer(database)

  for (const [name, bytes] of ambiguous)
    expect((await exchange(url, bytes)).match(/HTTP\/1\.1 \d+/g), name).toEqual(['HTTP/1.1 400'])
})

test('a request without a host, and one with two, are refused', async () => {
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

test('who leaves in the middle of his request is no failure of ours', async () => {
  const { url } = await startServer(database)
  const begun = post('Content-Length: 100')

  // The server would report what it takes for a failure, and the test would fail.
  for (const part of [begun.slice(0, 20), begun, `${begun}{"a":`]) await exchange(url, part)
  const chunked = await exchange(url, `${post('Transfer-Encoding: chunked')}5\r\n{"a"`)

  expect(chunked).not.toContain('HTTP/1.1 5')
})

test('who sends his request too slowly, or waits too long with the next one, is not waited for', () => {
  const server = createHttpServer({ tryAnswer: () => false, api: () => {}, pages: () => {} })

  expect(server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 20_000 })
  server.close()
})
