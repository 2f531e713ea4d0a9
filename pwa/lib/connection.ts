import { create } from 'zustand'
import { SECOND } from '#shared/dates.ts'
import { isBusy } from './busy.ts'
import { copiedPaths, isJson, TAKEN_AT } from './offlineCopies.ts'

interface Connection {
  isOffline: boolean
  /** A request could not reach the server, and no copy answered it: the server is probed. */
  isInDoubt: boolean
  /** While offline: when the oldest data on the page was fetched. Null if none is a copy. */
  takenAt: Date | null
}

/** Whether the server cannot be reached. */
export const useConnection = create<Connection>()(() => ({ isOffline: false, isInDoubt: false, takenAt: null }))

export const useIsOffline = (): boolean => useConnection((connection) => connection.isOffline)

/** An answer was a copy: the page is offline, and as old as its oldest data. */
export function recordCopy(takenAt: Date): void {
  if (Number.isNaN(takenAt.getTime())) return
  const { takenAt: oldest } = useConnection.getState()
  useConnection.setState({ isOffline: true, takenAt: oldest && oldest < takenAt ? oldest : takenAt })
}

/** A request could not reach the server. Whether the page is offline is found out by a probe. */
export const doubtConnection = (): void => useConnection.setState({ isInDoubt: true })

const PROBED_PATH = copiedPaths[0]!
const PROBE_TIMEOUT = 8 * SECOND
const PROBE_INTERVAL = 5 * SECOND

/**
 * Monitors the connection. The browser's events are only hints, because some browsers are wrong about it, so the server is
 * probed. `onBack` is called each time it can be reached again.
 */
export function followConnection(onBack: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined

  async function probe() {
    clearTimeout(timer)
    const isReached = await reachServer()
    const { isOffline, isInDoubt, takenAt } = useConnection.getState()
    if (isReached) {
      useConnection.setState({ isOffline: false, isInDoubt: false, takenAt: null })
      if (isOffline) onBack()
    } else if (!isOffline) {
      // The event stream was open until now, so the data is current, unless there is none because its request failed.
      useConnection.setState({ isOffline: true, isInDoubt: false, takenAt: takenAt ?? (isInDoubt ? null : new Date()) })
    }
    // Also after a probe that an early online event triggered.
    if (!isReached) probeLater()
  }

  function probeLater() {
    clearTimeout(timer)
    timer = setTimeout(() => void probe(), PROBE_INTERVAL)
  }

  const probeNow = () => void probe()
  const unsubscribe = useConnection.subscribe(({ isOffline, isInDoubt }, before) => {
    if (isOffline) {
      if (!before.isOffline) probeLater()
    } else if (isInDoubt && !before.isInDoubt) probeNow()
    else clearTimeout(timer)
  })
  window.addEventListener('online', probeNow)
  window.addEventListener('offline', probeNow)
  if (!navigator.onLine || useConnection.getState().isInDoubt) probeNow()
  else if (useConnection.getState().isOffline) probeLater()
  return () => {
    unsubscribe()
    clearTimeout(timer)
    window.removeEventListener('online', probeNow)
    window.removeEventListener('offline', probeNow)
  }
}

/**
 * Loads a chunk, again once the server can be reached if it could not be. Some browsers keep the failure; then the page is reloaded
 * (reloadOnce.ts), which is why it waits for the end of a payment, a code or a signature. Fails if the server answers without the chunk.
 */
export async function loadOnceReachable<Chunk>(load: () => Promise<Chunk>): Promise<Chunk> {
  try {
    return await load()
  } catch (error) {
    if (await reachServer()) throw error
  }
  doubtConnection()
  do await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL))
  while (isBusy() || !(await reachServer()))
  return loadOnceReachable(load)
}

/** Whether the server answers now, not a copy of an answer. */
export async function reachServer(): Promise<boolean> {
  try {
    const response = await fetch(PROBED_PATH, { cache: 'no-store', signal: AbortSignal.timeout(PROBE_TIMEOUT) })
    return isJson(response) && !response.headers.has(TAKEN_AT)
  } catch {
    return false
  }
}
