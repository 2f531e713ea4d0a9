import { type MailCatcher, startMailCatcher } from '#api/dev/mailCatcher.ts'

/** A mail server that can be stopped and started. */
export class MailSwitch {
  readonly url: string
  readonly #port: number
  #caught = 0
  #holds = 0
  #catcher: MailCatcher | undefined
  #working: Promise<void> = Promise.resolve()

  private constructor(catcher: MailCatcher) {
    this.#catcher = catcher
    this.url = catcher.smtpUrl
    this.#port = Number(new URL(catcher.smtpUrl).port)
  }

  static async start(): Promise<MailSwitch> {
    return new MailSwitch(await startMailCatcher())
  }

  get caught(): number {
    return this.#caught + (this.#catcher?.mails().length ?? 0)
  }

  down(): Promise<void> {
    this.#holds += 1
    return this.#enqueue(async () => {
      this.#caught = this.caught
      const catcher = this.#catcher
      this.#catcher = undefined
      await catcher?.stop()
    })
  }

  up(): Promise<void> {
    this.#holds -= 1
    return this.#enqueue(async () => {
      if (this.#holds === 0) this.#catcher ??= await startMailCatcher({ smtpPort: this.#port })
    })
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(work)
    this.#working = done.catch(() => {})
    return done
  }
}
