import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { CODE_RESEND_SECONDS } from '#shared/sale.ts'

export interface ResendCountdown {
  secondsLeft: number
  start: () => void
}

/** Counts from 60 to 0 after a code was sent. By the clock, so that a page that slept does not count on from where it was. */
export function useResendCountdown(): ResendCountdown {
  const [endsAt, setEndsAt] = useState(0)
  const [now, setNow] = useState(0)
  const secondsLeft = Math.max(0, Math.ceil((endsAt - now) / SECOND))
  const isRunning = secondsLeft > 0

  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [isRunning])

  return {
    secondsLeft,
    start: () => {
      setNow(Date.now())
      setEndsAt(Date.now() + CODE_RESEND_SECONDS * SECOND)
    },
  }
}
