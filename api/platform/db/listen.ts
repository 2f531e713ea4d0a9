import pg from 'pg'
import { SECOND } from '#shared/dates.ts'

export interface Listener {
  stop(): Promise<void>
}

/**
 * Listens on a channel over a dedicated connection and reconnects after it is lost.
 *
 * @param onConnect called at every connection, because notifications sent while disconnected are lost.
 */
export function listen(
  url: string,
  channel: string,
  { onMessage, onConnect }: { onMessage: (payload: string) => void; onConnect?: () => void },
): Listener {
  let stopped = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true, keepAliveInitialDelayMillis: 5 * SECOND })
    client = next
    next.on('notification', ({ payload }) => payload !== undefined && onMessage(payload))
    next.on('error', () => {})
    next.on('end', () => {
      if (!stopped && client === next) timer = setTimeout(() => void connect(), SECOND)
    })
    try {
      await next.connect()
      await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      onConnect?.()
    } catch {
      await next.end().catch(() => {})
    }
  }

  void connect()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
