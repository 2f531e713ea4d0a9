import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { CODE_RESEND_SECONDS } from '#shared/sale.ts'

export interface ResendCountdown {
  secondsLeft: number
  /** Starts from the seconds that the server reports, or from the full time. Returns the end in milliseconds. */
  start: (seconds?: number) => number
}

/** Counts down from 60 to 0 after a code was sent. Based on the clock, so a suspended page does not resume at its old value. */
/** `resendAt`: end of a countdown that is already running. */
export function useResendCountdown(resendAt = 0): ResendCountdown {
  const [endsAt, setEndsAt] = useState(resendAt)
  const [now, setNow] = useState(Date.now)
  const secondsLeft = Math.max(0, Math.ceil((endsAt - now) / SECOND))
  const isRunning = secondsLeft > 0

  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [isRunning])

  return {
    secondsLeft,
    start: (seconds = CODE_RESEND_SECONDS) => {
      const end = Date.now() + seconds * SECOND
      setNow(Date.now())
      setEndsAt(end)
      return end
    },
  }
}
