import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import type { ResendCountdown } from './useResendCountdown.ts'

interface ResendCodeProps {
  countdown: ResendCountdown
  onResend: () => void
  isPending: boolean
}

/** Offers another code once the countdown ends. */
export function ResendCode({ countdown: { secondsLeft }, onResend, isPending }: ResendCodeProps) {
  if (secondsLeft > 0) {
    return (
      <p role="timer" className="figures flex min-h-11 items-center justify-center text-14 text-ink-9">
        {t('You can request a new code in {time}', { time: formatCountdown(secondsLeft) })}
      </p>
    )
  }
  return (
    <Button variant="quiet" isWide needsServer onClick={onResend} isPending={isPending} pendingLabel={t('Sending...')}>
      {t('Resend Code')}
    </Button>
  )
}

/** 0:59 */
const formatCountdown = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
