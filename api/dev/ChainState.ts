import { existsSync, mkdirSync } from 'node:fs'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The used properties of anvil's state file. */
interface Dump {
  best_block_number: number
  blocks: { header: { number: string }; transactions: unknown[] }[]
}

/** Above this number, a start drops old blocks without transactions, so that a chain that ran for weeks still loads. */
const MAX_BLOCKS = 50_000
const RECENT_BLOCKS = 20_000

export interface StoredChain {
  /** The file that anvil loads. */
  file: string
  head: number
  /** The first block of the last range without gaps. */
  firstBlock: number
}

/**
 * The state of an embedded chain on disk.
 *
 * Anvil overwrites `exit.json` in place when it exits, so the file is incomplete if anvil is killed during the write. It is therefore only
 * one of three candidates. The others are `snapshot.json.gz`, which this class replaces atomically, and its previous version.
 */
export class ChainState {
  readonly exitFile: string
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.exitFile = this.#at('exit.json')
    mkdirSync(folder, { recursive: true })
  }

  /** Prepares the latest complete state for loading. Undefined for a new chain. */
  async load(): Promise<StoredChain | undefined> {
    const candidates = await Promise.all([
      this.#read(this.exitFile, false),
      this.#read(this.#at('snapshot.json.gz'), true),
      this.#read(this.#at('previous.json.gz'), true),
    ])
    const [best] = candidates.filter((dump) => dump !== undefined).sort((a, b) => b.best_block_number - a.best_block_number)
    if (!best) return undefined
    prune(best)
    const text = JSON.stringify(best)
    const file = this.#at('loading.json')
    await writeFile(file, text)
    await this.#replaceSnapshot(await compress(text, { level: 1 }))
    await rm(this.exitFile, { force: true })
    return { file, head: best.best_block_number, firstBlock: findFirstBlock(best) }
  }

  /** Deletes the copy that was made for loading. */
  async loaded(): Promise<void> {
    await rm(this.#at('loading.json'), { force: true })
  }

  /** Stores the result of `anvil_dumpState`: gzip as hex. */
  async save(dump: string): Promise<void> {
    await this.#replaceSnapshot(Buffer.from(dump.slice(2), 'hex'))
  }

  async #replaceSnapshot(bytes: Buffer): Promise<void> {
    const snapshot = this.#at('snapshot.json.gz')
    const file = await open(this.#at('snapshot.new'), 'w')
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } finally {
      await file.close()
    }
    if (existsSync(snapshot)) await rename(snapshot, this.#at('previous.json.gz'))
    await rename(this.#at('snapshot.new'), snapshot)
  }

  /** Undefined if the file does not exist or is incomplete. */
  async #read(file: string, compressed: boolean): Promise<Dump | undefined> {
    try {
      const bytes = await readFile(file)
      const dump = JSON.parse((compressed ? await decompress(bytes) : bytes).toString('utf8')) as Dump
      return typeof dump.best_block_number === 'number' && Array.isArray(dump.blocks) ? dump : undefined
    } catch {
      return undefined
    }
  }

  #at(name: string): string {
    return path.join(this.#folder, name)
  }
}

const numberOf = (block: Dump['blocks'][number]) => Number(block.header.number)

function prune(dump: Dump): void {
  if (dump.blocks.length <= MAX_BLOCKS) return
  const oldest = dump.best_block_number - RECENT_BLOCKS
  dump.blocks = dump.blocks.filter((block) => numberOf(block) === 0 || numberOf(block) >= oldest || block.transactions.length > 0)
}

function findFirstBlock(dump: Dump): number {
  const numbers = new Set(dump.blocks.map(numberOf))
  let first = dump.best_block_number
  while (first > 0 && numbers.has(first - 1)) first--
  return first
}
