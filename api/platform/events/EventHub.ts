import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { ChangeMessage } from '#shared/contract/events.ts'
import { SECOND } from '#shared/dates.ts'
import { type Listener, listen } from '../db/listen.ts'
import { CHANGES_CHANNEL, type Notification } from './runNotifier.ts'

/**
 * Above this number of open pages, a change that concerns all of them is sent at most once a second: every page refetches after
 * it, and in a rush everything changes all the time.
 */
const CROWD = 200
const TELL_CROWD_EVERY = SECOND
/** Messages written without yielding to the event loop; a few milliseconds of work. */
const AT_ONCE = 100

/** The content of one message to the listeners. */
export interface Told {
  /** For every listener. */
  all?: ChangeMessage
  /** Changed keys by account. */
  users: Notification['users']
}

type Preparation = (notification: Notification) => Promise<Pick<ChangeMessage, 'nodeStats'> | void> | undefined

/** Passes changes from every process of the installation to the event streams of this process. */
export class EventHub {
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  /** Resolves when the first connection listens. */
  readonly listening = new Promise<void>((resolve) => this.#emitter.once('connect', resolve))
  readonly #preparations: Preparation[] = []
  readonly #listeners = new Set<(told: Told) => void>()
  #listener: Listener | undefined
  #telling: Promise<void> = Promise.resolve()
  #isLeaving = false
  #toldAll = 0
  /** Keys to send to all listeners at the end of the second. */
  readonly #held = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  /**
   * Starts to listen. Changes are missed before that and while the connection is lost; `onConnect` reports each new connection.
   */
  connect(directUrl: string): void {
    this.#listener = listen(directUrl, CHANGES_CHANNEL, {
      onMessage: (payload) => this.publish(JSON.parse(payload) as Notification),
      onConnect: () => void this.#emitter.emit('connect'),
    })
  }

  /**
   * Registers reads that must finish before a change is sent, because pages refetch immediately. The result is sent along with
   * the change, so that no page has to request it. Must not reject.
   */
  prepare(preparation: Preparation): void {
    this.#preparations.push(preparation)
  }

  /** Sends notifications in the order of their arrival. Changes of a single account are never delayed. */
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

  /** Sends in parts, so that other requests do not wait for all listeners. */
  async #tellListeners(told: Told): Promise<void> {
    const listeners = [...this.#listeners]
    for (let first = 0; first < listeners.length; first += AT_ONCE) {
      if (first > 0) await setImmediate()
      for (const listener of listeners.slice(first, first + AT_ONCE)) if (this.#listeners.has(listener)) listener(told)
    }
  }

  onChange(handle: (told: Told) => void): () => void {
    // A new function for each call: the same handler may be registered twice.
    const listener: typeof handle = (told) => handle(told)
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  countListeners(): number {
    return this.#listeners.size
  }

  /** Disconnects all present and future listeners, so that they reconnect to a process that keeps running. */
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
