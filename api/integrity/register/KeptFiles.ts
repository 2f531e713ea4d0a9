import type { PublicFile } from './answerFile.ts'

/** Files that are kept in memory: a month of days at full supply. */
const KEPT_BYTES = 32 * 2 ** 20
/** Files that are read at the same time, so that readers of old days leave connections to buyers. */
const MAX_CONCURRENT_READS = 2

/** Files by name, the most recently used of them. Each is read once, however many readers wait for it. */
export class KeptFiles {
  readonly #files = new Map<string, PublicFile>()
  readonly #reading = new Map<string, Promise<PublicFile | undefined>>()
  readonly #waiting: (() => void)[] = []
  #bytes = 0
  #reads = 0

  find(name: string, read: () => Promise<PublicFile | undefined>): Promise<PublicFile | undefined> {
    const kept = this.#files.get(name)
    if (kept) {
      this.#files.delete(name)
      this.#files.set(name, kept)
      return Promise.resolve(kept)
    }
    const running = this.#reading.get(name)
    if (running) return running
    const reading = this.#inTurn(read)
      .then((file) => {
        if (file) this.#keep(name, file)
        return file
      })
      .finally(() => this.#reading.delete(name))
    this.#reading.set(name, reading)
    return reading
  }

  async #inTurn<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    if (this.#reads >= MAX_CONCURRENT_READS) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#reads += 1
    try {
      return await read()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#reads -= 1
    }
  }

  #keep(name: string, file: PublicFile): void {
    this.#files.set(name, file)
    this.#bytes += file.bytes.length
    for (const [oldest, { bytes }] of this.#files) {
      if (this.#bytes <= KEPT_BYTES || oldest === name) break
      this.#files.delete(oldest)
      this.#bytes -= bytes.length
    }
  }
}
