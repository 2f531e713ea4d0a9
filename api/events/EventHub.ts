import { EventEmitter } from 'node:events'
import { type Listener, listen } from '../db/listen.ts'
import { CHANGES_CHANNEL, type Notification } from './runNotifier.ts'

/** What this process hears of changes, from every process of the installation. */
export class EventHub {
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  #listener: Listener | undefined

  /** Starts to listen. After a lost connection everything may have changed: `onReconnect` says so. */
  connect(directUrl: string): void {
    let first = true
    this.#listener = listen(directUrl, CHANGES_CHANNEL, {
      onMessage: (payload) => this.publish(JSON.parse(payload) as Notification),
      onConnect: () => {
        if (!first) this.#emitter.emit('reconnect')
        first = false
      },
    })
  }

  publish(notification: Notification): void {
    this.#emitter.emit('change', notification)
  }

  onChange(handle: (notification: Notification) => void): () => void {
    this.#emitter.on('change', handle)
    return () => this.#emitter.off('change', handle)
  }

  onReconnect(handle: () => void): () => void {
    this.#emitter.on('reconnect', handle)
    return () => this.#emitter.off('reconnect', handle)
  }

  async stop(): Promise<void> {
    await this.#listener?.stop()
  }
}
