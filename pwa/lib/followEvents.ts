import { type ChangeMessage, changeMessage } from '#shared/contract/events.ts'
import { SECOND } from '#shared/dates.ts'

/** Delay before reopening a stream that the server refused. Other failures are retried by the browser. */
const RETRY_DELAY = 5 * SECOND

interface Followed {
  /** Each time the stream opens: changes may have been missed. */
  onOpen: () => void
  onMessage: (message: ChangeMessage) => void
  /** Each time the server refuses the stream. */
  onRefused?: () => void
}

/** Follows an event stream until the returned function is called. */
export function followEvents(path: string, { onOpen, onMessage, onRefused }: Followed): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function open() {
    source = new EventSource(path)
    source.onopen = onOpen
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const message = readMessage(data)
      if (message) onMessage(message)
    }
    source.onerror = () => {
      if (source?.readyState !== EventSource.CLOSED) return
      onRefused?.()
      timer = setTimeout(open, RETRY_DELAY)
    }
  }

  open()
  return () => {
    clearTimeout(timer)
    source?.close()
  }
}

/** Ignores a message of unknown shape from another version. */
function readMessage(data: string): ChangeMessage | undefined {
  try {
    return changeMessage.parse(JSON.parse(data))
  } catch {
    return undefined
  }
}
