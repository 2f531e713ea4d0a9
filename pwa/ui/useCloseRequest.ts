import { useEffect, useEffectEvent } from 'react'

interface CloseWatcher extends EventTarget {
  onclose: (() => void) | null
  destroy(): void
}

declare global {
  interface Window {
    CloseWatcher?: new () => CloseWatcher
  }
}

/**
 * Calls back when the phone's back button is pressed while something is open above the page. Without a watcher the page below would
 * go back, and what is open would stay, or go with what it shows only once. Browsers without CloseWatcher still do that.
 */
export function useCloseRequest(isOpen: boolean, onRequest: () => void): void {
  const request = useEffectEvent(onRequest)
  useEffect(() => {
    const { CloseWatcher } = window
    if (!isOpen || !CloseWatcher) return
    let watcher: CloseWatcher
    // A watcher serves one press, and what is open may stay.
    const watch = () => {
      watcher = new CloseWatcher()
      watcher.onclose = () => {
        watch()
        request()
      }
    }
    watch()
    return () => watcher.destroy()
  }, [isOpen])
}
