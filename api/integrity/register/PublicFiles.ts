import type { MikroORM } from '@mikro-orm/postgresql'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { SECOND } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { type PublicFile, publicFile } from './answerFile.ts'
import { inLogFile } from '#shared/register/logFiles.ts'
import { KeptFiles } from './KeptFiles.ts'
import { readLogKeys } from './readLogKeys.ts'
import { listBuild } from './release.ts'
import { formatKey } from '#shared/register/signedNotes.ts'
import { BLOCK_SIZE, HASH_SIZE, rootOf, splitHashes } from '#shared/register/tree.ts'

/** How old the known state of the log may be when a request arrives. */
const MAX_AGE = SECOND
/** How old a served checkpoint may be while the database is unavailable. Verifiers take an older one for a log that was cut. */
const MAX_CHECKPOINT_AGE = 5 * SECOND
/** Entries read at a time. */
const BATCH_SIZE = 10_000

const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'

/** What grows with the log. */
interface LogState {
  /** The entries of `checkpoint`. */
  size: number
  checkpoint: PublicFile
  hashes: PublicFile
  blocks: PublicFile
  keys: PublicFile
}

/**
 * The files of format.md ("Files"), read from the database at most once a second for all readers, except for those that want
 * the newest bytes; they share reads. Everything in the tables is signed, so everything in them is served, whether or not this process
 * publishes.
 */
export class PublicFiles {
  readonly #orm: Pick<MikroORM, 'em'>
  readonly #now: () => number
  readonly #kept = new KeptFiles()
  #log: LogState | undefined
  #readAt = -Infinity
  #reading: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** @param now milliseconds that only advance. */
  constructor({ orm }: { orm: Pick<MikroORM, 'em'> }, now = () => performance.now()) {
    this.#orm = orm
    this.#now = now
  }

  /**
   * The file at a path below `/register/`. A reader whose checkpoint came from another process gets files that hold it.
   *
   * @param wanted the first byte that the reader wants, and whether it wants the newest bytes past all caches.
   */
  async find(name: string, { from = 0, isFresh = false } = {}): Promise<PublicFile | undefined> {
    const [, day, part] = /^days\/(\d{4}-\d\d-\d\d)(\.hashes)?\.bin$/.exec(name) ?? []
    if (day !== undefined) return isDay(day) ? this.#kept.find(name, () => this.#readDay(day, part !== undefined)) : undefined
    const asset = assets.get(name)
    if (asset) return this.#kept.find(name, asset)
    if (isFresh) await this.#readNow()
    else await this.#readIfOld(name)
    const file = await this.#findInLog(name)
    if (file === undefined || file.isFinal || from < file.bytes.length) return file
    await this.#readNow()
    return this.#findInLog(name)
  }

  #findInLog(name: string): PublicFile | undefined | Promise<PublicFile | undefined> {
    const log = this.#log
    if (!log) return undefined
    const [, file] = /^log\/(0|[1-9]\d{0,6})\.txt$/.exec(name) ?? []
    if (file !== undefined) return this.#findEntries(Number(file), log.size)
    if (name === 'checkpoint') return log.checkpoint
    if (name === 'log/hashes.bin') return log.hashes
    if (name === 'log/blocks.bin') return log.blocks
    return name === 'keys.txt' ? log.keys : undefined
  }

  #findEntries(file: number, size: number): undefined | Promise<PublicFile | undefined> {
    const first = file * BLOCK_SIZE
    const held = Math.min(BLOCK_SIZE, size - first)
    if (held <= 0) return undefined
    return this.#kept.find(`log/${file}.txt of ${held}`, async () => {
      const rows = await query(this.#orm.em.fork())
        .selectFrom('register_entries')
        .select('text')
        .where('index', '>=', first)
        .where('index', '<', first + held)
        .orderBy('index')
        .execute()
      const bytes = Buffer.from(rows.map(({ text }) => inLogFile(text)).join(''), 'latin1')
      return publicFile(bytes, TEXT, { isFinal: held === BLOCK_SIZE })
    })
  }

  async #readDay(day: string, isHashes: boolean): Promise<PublicFile | undefined> {
    const row = await query(this.#orm.em.fork())
      .selectFrom('register_days')
      .select(isHashes ? 'blockHashes as bytes' : 'leaves as bytes')
      .where('day', '=', day)
      .executeTakeFirst()
    return row && publicFile(Buffer.from(row.bytes), BYTES, { isFinal: true })
  }

  /** While the database is unavailable the last state remains, but its checkpoint not for long. */
  #readIfOld(name: string): Promise<void> {
    if (this.#now() - this.#readAt < MAX_AGE) return Promise.resolve()
    return this.#readNow().catch((error: unknown) => {
      if (!this.#log || (name === 'checkpoint' && this.#now() - this.#readAt > MAX_CHECKPOINT_AGE)) throw error
    })
  }

  /** A read that begins after this call. Concurrent calls share it. */
  #readNow(): Promise<void> {
    this.#next ??= (this.#reading ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        this.#reading = this.#read()
        return this.#reading
      })
    return this.#next
  }

  async #read(): Promise<void> {
    const startedAt = this.#now()
    const db = query(this.#orm.em.fork())
    const newest = await db
      .selectFrom('register_checkpoints')
      .select(['size', 'note'])
      .orderBy('size', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (newest && newest.size !== this.#log?.size) this.#log = await this.#grow(newest)
    this.#readAt = startedAt
  }

  async #grow({ size, note }: { size: number; note: string }): Promise<LogState> {
    const known = this.#log && this.#log.size < size ? this.#log : undefined
    const hashes = Buffer.alloc(size * HASH_SIZE)
    known?.hashes.bytes.copy(hashes)
    for (let held = known?.size ?? 0; held < size; ) {
      const rows = await query(this.#orm.em.fork())
        .selectFrom('register_entries')
        .select('leafHash')
        .where('index', '>=', held)
        .where('index', '<', Math.min(size, held + BATCH_SIZE))
        .orderBy('index')
        .execute()
      if (rows.length === 0) throw new Error(`The register has a checkpoint of ${size} entries and no entry ${held}.`)
      for (const { leafHash } of rows) hashes.set(leafHash, HASH_SIZE * held++)
    }
    const blocks: Uint8Array[] = known ? [known.blocks.bytes] : []
    for (let block = (known?.blocks.bytes.length ?? 0) / HASH_SIZE; (block + 1) * BLOCK_SIZE <= size; block++)
      blocks.push(rootOf(splitHashes(hashes.subarray(block * BLOCK_SIZE * HASH_SIZE, (block + 1) * BLOCK_SIZE * HASH_SIZE))))
    return {
      size,
      checkpoint: publicFile(Buffer.from(note), TEXT),
      hashes: publicFile(hashes, BYTES),
      blocks: publicFile(Buffer.concat(blocks), BYTES),
      keys: publicFile(Buffer.from(await this.#readKeys()), TEXT),
    }
  }

  async #readKeys(): Promise<string> {
    const { genesis, logKey, receiptKey } = await readLogKeys(this.#orm.em.fork())
    return [
      { name: genesis.origin, key: logKey },
      { name: `${genesis.origin}/receipts`, key: receiptKey },
    ]
      .map((key) => `${formatKey(key)}\n`)
      .join('')
  }
}

/** Whether the day exists in the calendar. */
function isDay(text: string): boolean {
  const start = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(text)
}

const beside = async (name: string, type: string): Promise<PublicFile> =>
  publicFile(await readFile(path.join(import.meta.dirname, name)), type)

/** Files that change with a release. */
const assets = new Map<string, () => Promise<PublicFile | undefined>>([
  ['format.md', () => beside('format.md', 'text/markdown; charset=utf-8')],
  ['verify.mjs', () => beside('verify.mjs', 'text/javascript; charset=utf-8')],
  [
    'build.txt',
    async () => {
      const list = await listBuild()
      return list && publicFile(list, TEXT)
    },
  ],
])
