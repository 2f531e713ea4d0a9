import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listsTag } from '#api/platform/http/listsTag.ts'

/** A file of the register as it is served. */
export interface PublicFile {
  bytes: Buffer
  type: string
  etag: string
  /** The bytes at this path never change. */
  isFinal: boolean
}

export function publicFile(bytes: Buffer, type: string, { isFinal = false } = {}): PublicFile {
  return { bytes, type, isFinal, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }
}

/** Files are for everybody: pages of other sites and verifiers elsewhere read them too. In lower case, to replace security headers. */
export const openToAll: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
  'cross-origin-resource-policy': 'cross-origin',
}

interface Range {
  /** The first byte, and the one after the last. */
  start: number
  end: number
}

/**
 * Answers a GET or HEAD request with the file, or with one range of it. Several ranges and other units are answered with the whole
 * file, as RFC 9110 allows.
 */
export function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes, type, etag, isFinal, common }: PublicFile & { common: Readonly<Record<string, string>> },
): void {
  const headers = {
    ...common,
    'Accept-Ranges': 'bytes',
    'Cache-Control': isFinal ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
  }
  const send = (status: number, more: Record<string, string | number>, body?: Buffer) => {
    response.writeHead(status, { ...headers, ...more })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  if (listsTag(request.headers['if-none-match'], etag)) return send(304, {})
  const isSameFile = request.headers['if-range'] === undefined || request.headers['if-range'] === etag
  const range = isSameFile ? readRange(request.headers.range, bytes.length) : undefined
  if (range === 'beyond') return send(416, { 'Content-Range': `bytes */${bytes.length}`, 'Content-Length': 0 })
  if (!range) return send(200, { 'Content-Type': type, 'Content-Length': bytes.length }, bytes)
  const { start, end } = range
  send(
    206,
    { 'Content-Type': type, 'Content-Length': end - start, 'Content-Range': `bytes ${start}-${end - 1}/${bytes.length}` },
    bytes.subarray(start, end),
  )
}

/** The range `a-b` or `a-` of a file; undefined for every other form, which is ignored. */
export function readRange(header: string | undefined, length: number): Range | 'beyond' | undefined {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= length) return 'beyond'
  return { start, end: last === '' ? length : Math.min(Number(last) + 1, length) }
}
