import { existsSync, readFileSync } from 'node:fs'
import { appendFile, rename, writeFile } from 'node:fs/promises'
import type { CaughtMail } from './mailboxPage.ts'

const MAX_MAILS = 500

/** The newest mails, which a file keeps between starts if one is given: one mail per line. */
export class MailStore {
  readonly #file: string | undefined
  #mails: readonly CaughtMail[]
  #linesInFile: number
  /** Writes are sequential, so that lines do not mix. */
  #writing = Promise.resolve()
  readonly #watchers = new Set<(mail: CaughtMail) => void>()

  private constructor(file: string | undefined, mails: readonly CaughtMail[]) {
    this.#file = file
    this.#mails = mails
    this.#linesInFile = mails.length
  }

  static async open(file: string | undefined): Promise<MailStore> {
    if (file === undefined) return new MailStore(file, [])
    const mails = readStored(file)
    await rewrite(file, mails)
    return new MailStore(file, mails)
  }

  /** Newest last. */
  get mails(): readonly CaughtMail[] {
    return this.#mails
  }

  /** Resolves when the mail is stored. */
  async add(received: Omit<CaughtMail, 'id'>): Promise<void> {
    const mail = { id: (this.#mails.at(-1)?.id ?? 0) + 1, ...received }
    this.#mails = [...this.#mails, mail].slice(-MAX_MAILS)
    await (this.#writing = this.#writing.catch(() => {}).then(() => this.#write(mail)))
    for (const watch of this.#watchers) watch(mail)
  }

  /** Returns the first matching mail, or waits for it. */
  waitFor(matches: (mail: CaughtMail) => boolean): Promise<CaughtMail> {
    return new Promise((resolve) => {
      const received = this.#mails.find(matches)
      if (received) return resolve(received)
      const watch = (mail: CaughtMail) => {
        if (!matches(mail)) return
        this.#watchers.delete(watch)
        resolve(mail)
      }
      this.#watchers.add(watch)
    })
  }

  /** Resolves when every mail is written. */
  async close(): Promise<void> {
    await this.#writing
  }

  async #write(mail: CaughtMail): Promise<void> {
    if (this.#file === undefined) return
    await appendFile(this.#file, `${JSON.stringify(mail)}\n`)
    if (++this.#linesInFile < MAX_MAILS * 2) return
    await rewrite(this.#file, this.#mails)
    this.#linesInFile = this.#mails.length
  }
}

/** Reads one mail per line. The last line may be incomplete if the process was killed. */
function readStored(file: string): CaughtMail[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as CaughtMail]
      } catch {
        return []
      }
    })
    .slice(-MAX_MAILS)
}

async function rewrite(file: string, mails: readonly CaughtMail[]): Promise<void> {
  await writeFile(`${file}.new`, mails.map((mail) => `${JSON.stringify(mail)}\n`).join(''), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
