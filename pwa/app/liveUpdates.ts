import type { QueryClient } from '@tanstack/react-query'
import { type ChangeMessage, changeMessage, EVENTS_PATH } from '#shared/contract/events.ts'
import type { NodeStats } from '#shared/contract/nodes.ts'
import { SECOND } from '#shared/dates.ts'
import { moneyQueries, nodeStatsQuery } from '#pwa/lib/queries.ts'

/** The browser reconnects by itself unless the server refused outright; then we do, this much later. */
const RETRY_DELAY = 5 * SECOND

/**
 * Reads again exactly what the server says has changed, unless it says how. At every opening the money queries are read once:
 * a change may have been told while nobody was listening.
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
      if (message?.nodeStats) void takeOver(queryClient, message.nodeStats)
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

async function takeOver(queryClient: QueryClient, nodeStats: NodeStats): Promise<void> {
  const { queryKey } = nodeStatsQuery
  // An answer that is under way is older.
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, nodeStats)
}

/** A message of another shape comes from another version and is none of ours. */
function readMessage(data: string): ChangeMessage | undefined {
  try {
    return changeMessage.parse(JSON.parse(data))
  } catch {
    return undefined
  }
}
