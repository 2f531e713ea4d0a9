import { useEffect, useRef } from 'react'

/** Calls back once when a future instant arrives. An instant that has already passed does not count; a changed one counts again. */
export function useCompletion(target: Date | null, now: Date, onComplete: () => void): void {
  const awaited = useRef<number | null>(null)
  const moment = target?.getTime() ?? null
  const isOver = target === null || target <= now
  useEffect(() => {
    if (!isOver) awaited.current = moment
    else if (awaited.current !== null) {
      const hasCome = awaited.current === moment
      awaited.current = null
      if (hasCome) onComplete()
    }
  }, [isOver, moment, onComplete])
}
