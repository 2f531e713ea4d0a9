import pg from 'pg'
import { SECOND } from '#shared/dates.ts'
import { connectionOptions } from './connectionOptions.ts'
import { DatabaseClient } from './DatabaseClient.ts'

export interface Listener {
  stop(): Promise<void>
}

/** How often the server is asked for a sign of life, and how long it may take, in milliseconds. */
const HEARTBEAT_INTERVAL = 5 * SECOND
const HEARTBEAT_TIMEOUT = 10 * SECOND

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
  let heartbeat: NodeJS.Timeout | undefined
  const statement = `listen ${pg.escapeIdentifier(channel)}`

  async function connect(): Promise<void> {
    const next = new DatabaseClient(connectionOptions(url, { answerTimeout: HEARTBEAT_TIMEOUT }))
    client = next
    next.on('notification', ({ payload }) => payload !== undefined && onMessage(payload))
    next.on('error', () => {})
    next.on('end', () => reconnectAfter(next))
    try {
      await next.connect()
      await next.query(statement)
      // Repeating it has no effect, but an answer shows that the server is there.
      heartbeat = setInterval(() => void next.query(statement).catch(() => {}), HEARTBEAT_INTERVAL)
      onConnect?.()
    } catch {
      await next.end().catch(() => {})
      // The driver reports no end of a connection that never began, as when no host is a primary.
      reconnectAfter(next)
    }
  }

  /** An attempt may be reported as lost twice; it is repeated once. */
  function reconnectAfter(lost: pg.Client): void {
    if (stopped || client !== lost) return
    clearInterval(heartbeat)
    clearTimeout(timer)
    timer = setTimeout(() => void connect(), SECOND)
  }

  void connect()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      clearInterval(heartbeat)
      await client?.end().catch(() => {})
    },
  }
}
