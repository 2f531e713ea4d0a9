import type { QueryClient } from '@tanstack/react-query'
import { type ChangeMessage, changeMessage, EVENTS_PATH } from '#shared/contract/events.ts'
import type { NodeStats } from '#shared/contract/nodes.ts'
import { SECOND } from '#shared/dates.ts'
import { moneyQueries, nodeStatsQuery } from '#pwa/lib/queries.ts'

/** Delay before reopening a stream that the server refused. Other failures are retried by the browser. */
const RETRY_DELAY = 5 * SECOND

/**
 * Refetches the queries that the server names, or takes the figures it sends along. Each time the stream opens, the money queries
 * are refetched once, because changes may have been missed.
 */
export function followLiveUpdates(queryClient: QueryClient, onOpen?: () => void): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function open() {
    source = new EventSource(EVENTS_PATH)
    source.onopen = () => {
      for (const { queryKey } of moneyQueries) void queryClient.invalidateQueries({ queryKey, exact: true })
      onOpen?.()
    }
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const message = readMessage(data)
      for (const key of message?.keys ?? [])
        if (key !== nodeStatsQuery.queryKey[0] || !message?.nodeStats) void queryClient.invalidateQueries({ queryKey: [key] })
      if (message?.nodeStats) void applyFigures(queryClient, message.nodeStats)
    }
    source.onerror = () => {
      if (source?.readyState !== EventSource.CLOSED) return
      timer = setTimeout(open, RETRY_DELAY)
    }
  }

  open()
  return () => {
    clearTimeout(timer)
    source?.close()
  }
}

async function applyFigures(queryClient: QueryClient, nodeStats: NodeStats): Promise<void> {
  const { queryKey } = nodeStatsQuery
  // A request that is under way has older data.
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, nodeStats)
}

/** Ignores a message of unknown shape from another version. */
function readMessage(data: string): ChangeMessage | undefined {
  try {
    return changeMessage.parse(JSON.parse(data))
  } catch {
    return undefined
  }
}
