import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { ChangeMessage } from '#shared/contract/events.ts'
import { SECOND } from '#shared/dates.ts'
import { type Listener, listen } from '../db/listen.ts'
import { CHANGES_CHANNEL, type Notification } from './runNotifier.ts'

/**
 * With more pages than this, what concerns all of them is told once a second at most: each asks anew, and in a rush everything changes all
 * the time.
 */
const CROWD = 200
const TELL_CROWD_EVERY = SECOND
/** Told without a pause: some milliseconds. */
const AT_ONCE = 100

/** What those who listen hear. */
export interface Told {
  /** For everybody. */
  all?: ChangeMessage
  /** Keys of single accounts. */
  users: Notification['users']
}

type Preparation = (notification: Notification) => Promise<Pick<ChangeMessage, 'nodeStats'> | void> | undefined

/** What this process hears of changes, from every process of the installation. */
export class EventHub {
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  /** Settles once it listens for the first time. */
  readonly listening = new Promise<void>((resolve) => this.#emitter.once('connect', resolve))
  readonly #preparations: Preparation[] = []
  readonly #listeners = new Set<(told: Told) => void>()
  #listener: Listener | undefined
  #telling: Promise<void> = Promise.resolve()
  #isLeaving = false
  #toldAll = 0
  /** Told to all at the end of the second. */
  readonly #held = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  /** Starts to listen. Until it does, and while the connection is lost, everything may change unheard: `onConnect` says so. */
  connect(directUrl: string): void {
    this.#listener = listen(directUrl, CHANGES_CHANNEL, {
      onMessage: (payload) => this.publish(JSON.parse(payload) as Notification),
      onConnect: () => void this.#emitter.emit('connect'),
    })
  }

  /**
   * What this process must have read by itself before it tells of a change: who hears of it asks at once. What is answered here is told
   * along, and asked by nobody. Must not reject.
   */
  prepare(preparation: Preparation): void {
    this.#preparations.push(preparation)
  }

  /** One after the other, in the order they came. What concerns an account is told at once, whatever the crowd. */
  publish({ all, users }: Notification): void {
    const wait = this.#toldAll + TELL_CROWD_EVERY - performance.now()
    if (all.length > 0 && wait > 0 && this.countListeners() > CROWD) {
      for (const key of all) this.#held.add(key)
      this.#timer ??= setTimeout(() => this.#tellHeld(), wait).unref()
      if (Object.keys(users).length > 0) this.#tell({ all: [], users })
      return
    }
    if (all.length > 0) this.#toldAll = performance.now()
    this.#tell({ all, users })
  }

  #tellHeld(): void {
    this.#timer = undefined
    this.#toldAll = performance.now()
    this.#tell({ all: [...this.#held], users: {} })
    this.#held.clear()
  }

  #tell(notification: Notification): void {
    this.#telling = this.#telling.then(async () => {
      const { all: keys, users } = notification
      const all: ChangeMessage = { keys }
      for (const preparation of this.#preparations) Object.assign(all, await preparation(notification))
      await this.#tellListeners({ users, ...(keys.length > 0 && { all }) })
    })
  }

  /** A crowd is told in parts: nobody else's request waits for all of it. */
  async #tellListeners(told: Told): Promise<void> {
    const listeners = [...this.#listeners]
    for (let first = 0; first < listeners.length; first += AT_ONCE) {
      if (first > 0) await setImmediate()
      for (const listener of listeners.slice(first, first + AT_ONCE)) if (this.#listeners.has(listener)) listener(told)
    }
  }

  onChange(handle: (told: Told) => void): () => void {
    // Each is one of its own, should the same be given twice.
    const listener: typeof handle = (told) => handle(told)
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  countListeners(): number {
    return this.#listeners.size
  }

  /** Sends everybody away who listens here, and whoever still comes: each comes back to a process that goes on. */
  dismiss(): void {
    this.#isLeaving = true
    this.#emitter.emit('connect')
  }

  onConnect(handle: () => void): () => void {
    if (this.#isLeaving) void setImmediate().then(handle)
    this.#emitter.on('connect', handle)
    return () => this.#emitter.off('connect', handle)
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#listener?.stop()
    await this.#telling
  }
}
