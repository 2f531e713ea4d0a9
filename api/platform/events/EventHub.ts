import { setImmediate } from 'node:timers/promises'
import type { ChangeMessage } from '#shared/contract/events.ts'
import { SECOND } from '#shared/dates.ts'
import { type Listener, listen } from '../db/listen.ts'
import { CHANGES_CHANNEL, type Notification } from './runNotifier.ts'

/**
 * Above this number of open pages, the changes that concern all of them are collected for a second and sent together: in a rush everything
 * changes all the time, and its first second belongs to those who press.
 */
const CROWD_THRESHOLD = 200
const CROWD_INTERVAL = SECOND
/** Messages written without yielding to the event loop; a few milliseconds of work. */
const BATCH_SIZE = 100

/** The content of one message to the listeners. */
export interface HubMessage {
  /** For every listener. */
  all?: ChangeMessage
  /** Changed keys by account. */
  users: Notification['users']
  places?: Notification['places']
  /** For the open pages of the back office. */
  office?: ChangeMessage
}

type HubListener = (message: HubMessage) => void

type Preparation = (notification: Notification) => Promise<Pick<ChangeMessage, 'nodeStats'> | void> | undefined

const hasKeys = (record: object): boolean => Object.keys(record).length > 0

/** Passes changes from every process of the installation to the event streams of this process. */
export class EventHub {
  #markListening = () => {}
  /** Resolves when the first connection listens. */
  readonly listening = new Promise<void>((resolve) => (this.#markListening = resolve))
  readonly #preparations: Preparation[] = []
  readonly #listeners = new Set<HubListener>()
  /** The listeners of each account. In a rush most messages concern a few accounts among thousands of listeners. */
  readonly #ofAccount = new Map<string, Set<HubListener>>()
  /** A set, because thousands of streams may end at once, and removing an emitter's listener searches all of them. */
  readonly #connectHandlers = new Set<() => void>()
  #listener: Listener | undefined
  #sending: Promise<void> = Promise.resolve()
  #isClosing = false
  /** Keys to send to all listeners at the end of the second. */
  readonly #held = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #openingMessage: ChangeMessage | undefined

  /**
   * Starts to listen. Changes are missed before that and while the connection is lost; `onConnect` reports each new connection.
   */
  connect(directUrl: string): void {
    this.#listener = listen(directUrl, CHANGES_CHANNEL, {
      onMessage: (payload) => this.publish(JSON.parse(payload) as Notification),
      onConnect: () => this.#reportConnect(),
    })
  }

  /**
   * Registers reads that must finish before a change is sent, because pages refetch immediately. The result is sent along with
   * the change, so that no page has to request it. Must not reject.
   */
  prepare(preparation: Preparation): void {
    this.#preparations.push(preparation)
  }

  /** Sets the message with which streams open, so that pages need not request what it contains. */
  openWith(message: ChangeMessage): void {
    this.#openingMessage = message
  }

  get openingMessage(): ChangeMessage | undefined {
    return this.#openingMessage
  }

  /** Sends notifications in the order of their arrival. Changes of a single account and of the back office are never delayed. */
  publish({ all, users, office = [], places = {} }: Notification): void {
    if (all.length > 0 && this.countListeners() > CROWD_THRESHOLD) {
      for (const key of all) this.#held.add(key)
      this.#timer ??= setTimeout(() => this.#sendHeld(), CROWD_INTERVAL).unref()
      if (hasKeys(users) || hasKeys(places) || office.length > 0) this.#send({ all: [], users, office, places })
    } else this.#send({ all, users, office, places })
  }

  #sendHeld(): void {
    this.#timer = undefined
    this.#send({ all: [...this.#held], users: {}, office: [], places: {} })
    this.#held.clear()
  }

  #send(notification: Required<Notification>): void {
    this.#sending = this.#sending.then(async () => {
      const { all: keys, users, office, places } = notification
      const all: ChangeMessage = { keys }
      for (const preparation of this.#preparations) Object.assign(all, await preparation(notification))
      await this.#sendToListeners({
        users,
        ...(hasKeys(places) && { places }),
        ...(keys.length > 0 && { all }),
        ...(office.length > 0 && { office: { keys: [...office] } }),
      })
    })
  }

  /** Sends in parts, so that other requests do not wait for all listeners. */
  async #sendToListeners(message: HubMessage): Promise<void> {
    const listeners = this.#concernedBy(message)
    for (let first = 0; first < listeners.length; first += BATCH_SIZE) {
      if (first > 0) await setImmediate()
      for (const listener of listeners.slice(first, first + BATCH_SIZE)) if (this.#listeners.has(listener)) listener(message)
    }
  }

  #concernedBy({ all, office, users, places }: HubMessage): HubListener[] {
    if (all || office) return [...this.#listeners]
    const accountIds = new Set([...Object.keys(users), ...Object.keys(places ?? {})])
    return [...accountIds].flatMap((id) => [...(this.#ofAccount.get(id) ?? [])])
  }

  /** @param accountId the only account whose own changes `handle` is called for; none by default. */
  onChange(handle: HubListener, accountId?: string): () => void {
    // A new function for each call: the same handler may be registered twice.
    const listener: HubListener = (message) => handle(message)
    this.#listeners.add(listener)
    if (accountId === undefined) return () => void this.#listeners.delete(listener)
    const own = this.#ofAccount.get(accountId) ?? new Set()
    this.#ofAccount.set(accountId, own.add(listener))
    return () => {
      this.#listeners.delete(listener)
      own.delete(listener)
      if (own.size === 0 && this.#ofAccount.get(accountId) === own) this.#ofAccount.delete(accountId)
    }
  }

  countListeners(): number {
    return this.#listeners.size
  }

  /** Disconnects all present and future listeners, so that they reconnect to a process that keeps running. */
  disconnectAll(): void {
    this.#isClosing = true
    this.#reportConnect()
  }

  onConnect(handle: () => void): () => void {
    if (this.#isClosing) void setImmediate().then(handle)
    const handler = () => handle()
    this.#connectHandlers.add(handler)
    return () => void this.#connectHandlers.delete(handler)
  }

  #reportConnect(): void {
    this.#markListening()
    for (const handle of this.#connectHandlers) handle()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#listener?.stop()
    await this.#sending
  }
}
