import type { QueryClient } from '@tanstack/react-query'
import { changeMessage, EVENTS_PATH } from '#shared/contract/events.ts'
import { SECOND } from '#shared/dates.ts'
import { moneyQueries } from '#pwa/lib/queries.ts'

/** The browser reconnects by itself unless the server refused outright; then we do, this much later. */
const RETRY_DELAY = 5 * SECOND

/**
 * Reads again exactly what the server says has changed. At every opening the money queries are read once:
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
      for (const key of readKeys(data)) void queryClient.invalidateQueries({ queryKey: [key] })
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

/** A message of another shape comes from another version and is none of ours. */
function readKeys(data: string): string[] {
  try {
    return changeMessage.parse(JSON.parse(data)).keys
  } catch {
    return []
  }
}
