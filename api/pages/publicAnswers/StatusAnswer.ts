import type { EntityManager } from '@mikro-orm/postgresql'
import { getStatus, type ServiceStatus } from '#shared/contract/status.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import type { Services } from '#api/platform/services.ts'
import { type Answer, answerOf } from './Answer.ts'

export type ReadStatus = (em: EntityManager) => Promise<ServiceStatus>

/** The interval for reading the status, in milliseconds. It also bounds its cost, whatever the number of callers. */
export const STATUS_INTERVAL = 10 * SECOND
/** After this time without a successful read, nobody knows the state. */
const OUTDATED_AFTER = MINUTE

/** Keeps the status in memory. While it cannot be read, the last figures stay and say so. */
export class StatusAnswer {
  readonly #services: Pick<Services, 'clock' | 'events' | 'orm'>
  readonly #read: ReadStatus
  #status: ServiceStatus | undefined
  #answer: Answer | undefined
  #refreshing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(services: Pick<Services, 'clock' | 'events' | 'orm'>, read: ReadStatus) {
    this.#services = services
    this.#read = read
  }

  get answer(): Answer | undefined {
    return this.#answer
  }

  async start(): Promise<void> {
    await this.refresh()
    this.#services.events.prepare(({ all }) => (all.includes(getStatus.path) ? this.#readChange() : undefined))
    this.#timer = setInterval(() => {
      this.markIfOutdated()
      void this.refresh()
    }, STATUS_INTERVAL)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#refreshing
  }

  /** Keeps the last figures if they cannot be read. */
  refresh(): Promise<void> {
    // From the primary: what a replica lacks says nothing about the product.
    this.#refreshing ??= this.#read(this.#services.orm.em.fork())
      .then(
        (status) => this.#put(status),
        () => {},
      )
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  /** Independent of `refresh`, because a read can hang. */
  markIfOutdated(): void {
    if (this.#status && this.#services.clock.now().getTime() - this.#status.readAt.getTime() > OUTDATED_AFTER)
      this.#put({ ...this.#status, verdict: 'outdated' })
  }

  /** Waits for a running read first, because it may have started before the change. */
  async #readChange(): Promise<void> {
    await this.#refreshing
    await this.refresh()
  }

  #put(status: ServiceStatus): void {
    this.#status = status
    this.#answer = answerOf(getStatus, status, STATUS_INTERVAL)
  }
}
