import { useEffect, useRef } from 'react'

/** Calls back once when a moment that was waited for has come. One that had come before is none; one that is moved is another. */
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
