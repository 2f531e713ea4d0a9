import { vi } from 'vitest'

interface Options {
  /** Of the mailbox's page. */
  url: () => string
  /** In milliseconds. */
  timeout: number
}

/** Reads what the product mailed. */
export class Mailbox {
  readonly #options: Options
  /** How many codes of each address were read. */
  readonly #read = new Map<string, number>()

  constructor(options: Options) {
    this.#options = options
  }

  /** The newest unread code that was emailed to an address. */
  async readCode(email: string): Promise<string> {
    return this.#waitFor(async () => {
      const mine = (await this.#mailsTo(email)).filter(({ subject }) => /^Your .*code/.test(subject))
      if (mine.length <= (this.#read.get(email) ?? 0)) throw new Error(`No new code was mailed to ${email}.`)
      this.#read.set(email, mine.length)
      return /\d{6}/.exec(mine.at(-1)!.text)![0]
    })
  }

  /** The link of the newest mail to an address, by default of any subject. */
  async readLink(email: string, pattern: RegExp, subject?: string): Promise<string> {
    return this.#waitFor(async () => {
      const mine = (await this.#mailsTo(email)).filter((mail) => subject === undefined || mail.subject === subject)
      return pattern.exec(mine.at(-1)!.text)![0]
    })
  }

  /** The freeze link of the newest mail to an address with this subject. */
  readFreezeLink(email: string, subject = 'New login to your account'): Promise<string> {
    return this.readLink(email, /http\S+\/freeze#token=[\w-]+/, subject)
  }

  /** Oldest first. */
  async #mailsTo(email: string): Promise<{ subject: string; text: string }[]> {
    const response = await fetch(`${this.#options.url()}/messages`)
    const mails = (await response.json()) as { to: unknown; subject: string; text: string }[]
    return mails.filter(({ to }) => JSON.stringify(to).includes(email))
  }

  #waitFor<Result>(read: () => Promise<Result>): Promise<Result> {
    return vi.waitFor(read, { timeout: this.#options.timeout, interval: 100 })
  }
}
