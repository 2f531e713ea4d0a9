import { useEffect, useState } from 'react'

/** Whether something has been running for longer than the limit. */
export function useIsLong(isRunning: boolean, limit: number): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isRunning) return
    const timer = setTimeout(() => setLong(true), limit)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isRunning, limit])
  return isLong
}
