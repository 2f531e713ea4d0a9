import { create } from 'zustand'
import { SECOND } from '#shared/dates.ts'
import { copiedPaths, TAKEN_AT } from './offlineCopies.ts'

interface Connection {
  isOffline: boolean
  /** Of what the page shows while there is no connection: when the oldest of it was read. Null if nothing of it is a copy. */
  takenAt: Date | null
}

/** Whether the server can be reached. */
export const useConnection = create<Connection>()(() => ({ isOffline: false, takenAt: null }))

export const useIsOffline = (): boolean => useConnection((connection) => connection.isOffline)

/** An answer came from a copy: so there is no connection, and the page is as old as its oldest part. */
export function noteCopy(takenAt: Date): void {
  if (Number.isNaN(takenAt.getTime())) return
  const { takenAt: oldest } = useConnection.getState()
  useConnection.setState({ isOffline: true, takenAt: oldest && oldest < takenAt ? oldest : takenAt })
}

const PROBED_PATH = copiedPaths[0]!
const PROBE_TIMEOUT = 8 * SECOND
const PROBE_INTERVAL = 5 * SECOND

/**
 * Follows the connection. The browser's own word is only a hint, since some are wrong about it: the server is asked. `onBack` is
 * called each time it can be reached again.
 */
export function followConnection(onBack: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined

  async function probe() {
    clearTimeout(timer)
    const isReached = await reachServer()
    const { isOffline, takenAt } = useConnection.getState()
    if (isReached) {
      useConnection.setState({ isOffline: false, takenAt: null })
      if (isOffline) onBack()
    } else if (!isOffline) {
      // Until now the event stream has told of every change.
      useConnection.setState({ isOffline: true, takenAt: takenAt ?? new Date() })
    }
    // Also after a question that the browser's word led to, and that came too early.
    if (!isReached) probeLater()
  }

  function probeLater() {
    clearTimeout(timer)
    timer = setTimeout(() => void probe(), PROBE_INTERVAL)
  }

  const ask = () => void probe()
  const unsubscribe = useConnection.subscribe(({ isOffline }) => (isOffline ? probeLater() : clearTimeout(timer)))
  window.addEventListener('online', ask)
  window.addEventListener('offline', ask)
  if (!navigator.onLine) ask()
  else if (useConnection.getState().isOffline) probeLater()
  return () => {
    unsubscribe()
    clearTimeout(timer)
    window.removeEventListener('online', ask)
    window.removeEventListener('offline', ask)
  }
}

async function reachServer(): Promise<boolean> {
  try {
    const response = await fetch(PROBED_PATH, { cache: 'no-store', signal: AbortSignal.timeout(PROBE_TIMEOUT) })
    return !response.headers.has(TAKEN_AT)
  } catch {
    return false
  }
}
