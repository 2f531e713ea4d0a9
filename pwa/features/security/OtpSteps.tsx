import { lazy, Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { OneTimeCodeDialog } from '#pwa/ui/OneTimeCodeDialog.tsx'
import { toast } from '#pwa/ui/toast.ts'

const OtpSetupDialog = lazy(async () => ({ default: (await import('./OtpSetupDialog.tsx')).OtpSetupDialog }))

interface OtpStepsProps {
  /** Where in its flow the purchase or withdrawal is that asks for a code. */
  at: string
  /** The authenticator is being set up by itself, outside of the flow. */
  isSettingUp: boolean
  onEndSetup: () => void
  onAbandon: (step: 'otpSetup' | 'otpCheck') => void
  onEnabled: () => void
  onVerified: () => void
  /** What the code is for. */
  description: string
}

/** The authenticator's part of a flow: it is set up where it is not, and its code is asked for. */
export function OtpSteps({ at, isSettingUp, onEndSetup, onAbandon, onEnabled, onVerified, description }: OtpStepsProps) {
  return (
    <>
      {(at === 'otpSetup' || isSettingUp) && (
        <Suspense fallback={null}>
          <OtpSetupDialog
            open
            onOpenChange={(open) => {
              if (open) return
              onEndSetup()
              // It closes before it says that the authenticator is on: only what is still waiting after that was abandoned.
              queueMicrotask(() => onAbandon('otpSetup'))
            }}
            onEnabled={() => {
              toast({ title: t('OTP Setup Complete'), description: t('Now enter a code of the app to continue.') })
              onEnabled()
            }}
          />
        </Suspense>
      )}
      <OneTimeCodeDialog
        open={at === 'otpCheck'}
        onOpenChange={(open) => !open && onAbandon('otpCheck')}
        title={t('OTP Verification')}
        description={description}
        onVerified={onVerified}
      />
    </>
  )
}
