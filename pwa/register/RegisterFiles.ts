import { SECOND } from '#shared/dates.ts'
import { MAX_CHECKPOINT } from '#shared/register/checkpoint.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { MAX_TEXT } from '#shared/register/lines.ts'
import { LEAF_SIZE } from '#shared/register/nodeLeaf.ts'
import { BLOCK_SIZE, HASH_SIZE, splitHashes } from '#shared/register/tree.ts'
import { NotPublished, Unavailable } from './Report.ts'

/** Bytes from `start` to before `end`. */
interface ByteRange {
  start: number
  end: number
}

interface Reading {
  /** More bytes are refused. */
  limit: number
  range?: ByteRange | undefined
  /** Past all caches. */
  isFresh?: boolean
}

const TIMEOUT = 60 * SECOND
/** Published with the first entry, and there from then on. */
const CHECKPOINT = 'checkpoint'

/** The public files below `/register/` (format.md §10). Each is read with a limit and a time-out; redirects are not followed. */
export class RegisterFiles {
  readonly #base: string
  /** Bytes of all answers so far. */
  received = 0

  /** @param site '' for the page's own. */
  constructor(site = '') {
    this.#base = `${site}/register/`
  }

  async #read(path: string, { limit, range, isFresh = false }: Reading): Promise<Uint8Array> {
    const url = this.#base + path
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), TIMEOUT)
    try {
      const response = await fetch(url, {
        redirect: 'error',
        credentials: 'omit',
        signal: abort.signal,
        cache: isFresh ? 'reload' : 'default',
        ...(range && { headers: { range: `bytes=${range.start}-${range.end - 1}` } }),
      })
      const isPart = range !== undefined && response.status === 206
      if (response.status === 404 && path === CHECKPOINT) throw new NotPublished(`${url} does not exist`)
      if (!isPart && response.status !== 200) throw new Unavailable(`${url} answered with status ${response.status}`)
      if (response.headers.get('content-type')?.startsWith('text/html')) throw new Unavailable(`${url} answered with a page`)
      // A server may ignore the range and send the whole file.
      const bytes = await this.#readBody(response, isPart ? range.end - range.start : limit, url)
      return range && !isPart ? bytes.subarray(range.start, range.end) : bytes
    } catch (error) {
      if (error instanceof FormatError || error instanceof Unavailable) throw error
      throw new Unavailable(`${url}: ${abort.signal.aborted ? 'no complete answer in time' : String(error)}`)
    } finally {
      clearTimeout(timer)
    }
  }

  async #readBody(response: Response, limit: number, url: string): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let length = 0
    const reader = response.body?.getReader()
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done || !value) break
      chunks.push(value)
      length += value.length
      this.received += value.length
      if (length <= limit) continue
      void reader?.cancel()
      throw new FormatError(`${url} has more than ${limit} bytes`)
    }
    const bytes = new Uint8Array(length)
    let at = 0
    for (const chunk of chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  }

  /** A file that grows: `take` returns nothing while it is too short, and then it is read once more past all caches. */
  async #growing<Taken>(path: string, reading: Reading, take: (bytes: Uint8Array) => Taken | undefined): Promise<Taken> {
    for (const isFresh of [false, true]) {
      const taken = take(await this.#read(path, { ...reading, isFresh }))
      if (taken !== undefined) return taken
    }
    throw new Unavailable(`${this.#base}${path} is shorter than the checkpoint says`)
  }

  /** @throws {NotPublished} */
  async checkpoint(): Promise<string> {
    return new TextDecoder().decode(await this.#read(CHECKPOINT, { limit: MAX_CHECKPOINT, isFresh: true }))
  }

  /** The hashes `from` to before `to` of a file of hashes that grows. */
  async hashes(
    path: 'log/hashes.bin' | 'log/blocks.bin',
    { from = 0, to }: { from?: number; to: number },
  ): Promise<Uint8Array[]> {
    if (to <= from) return []
    const wanted = (to - from) * HASH_SIZE
    const reading = { limit: 10_000_000 * HASH_SIZE, range: { start: from * HASH_SIZE, end: to * HASH_SIZE } }
    return splitHashes(await this.#growing(path, reading, (bytes) => (bytes.length >= wanted ? bytes : undefined)))
  }

  /** The first `wanted` entries of a log file. */
  async entries(file: number, wanted: number): Promise<string[]> {
    return this.#growing(`log/${file}.txt`, { limit: BLOCK_SIZE * (MAX_TEXT + 1) }, (bytes) => splitEntries(bytes, wanted))
  }

  /** The first entry of the log; it is far shorter than what is read. */
  async genesis(): Promise<string> {
    const reading = { limit: BLOCK_SIZE * (MAX_TEXT + 1), range: { start: 0, end: 1_500 } }
    const [text] = await this.#growing('log/0.txt', reading, (bytes) => splitEntries(bytes, 1))
    return text!
  }

  async leaves(day: string, size: number, range?: ByteRange): Promise<Uint8Array> {
    const wanted = range ? range.end - range.start : size * LEAF_SIZE
    return sized(await this.#read(`days/${day}.bin`, { limit: size * LEAF_SIZE, range }), wanted, day)
  }

  async dayHashes(day: string, size: number): Promise<Uint8Array[]> {
    const limit = Math.ceil(size / BLOCK_SIZE) * HASH_SIZE
    return splitHashes(sized(await this.#read(`days/${day}.hashes.bin`, { limit }), limit, day))
  }

  /** The list of files of the page's build. */
  build(): Promise<Uint8Array> {
    return this.#read('build.txt', { limit: 1_048_576 })
  }
}

function sized(bytes: Uint8Array, wanted: number, day: string): Uint8Array {
  if (bytes.length !== wanted) throw new FormatError(`A file of day ${day} has ${bytes.length} bytes, not ${wanted}`)
  return bytes
}

/** An empty line ends each entry. Undefined if there are fewer than wanted. */
function splitEntries(bytes: Uint8Array, wanted: number): string[] | undefined {
  const parts = decodeBytes(bytes).split('\n\n')
  return parts.length > wanted ? parts.slice(0, wanted).map((entry) => `${entry}\n`) : undefined
}

/** One character for each byte, so that bytes which no entry has stay visible to its parser. */
const decodeBytes = (bytes: Uint8Array): string => {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 8_192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)))
  return parts.join('')
}
