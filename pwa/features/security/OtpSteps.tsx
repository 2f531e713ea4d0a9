import { Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { OneTimeCodeDialog } from '#pwa/ui/OneTimeCodeDialog.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

const OtpSetupDialog = lazyPart(async () => (await import('./OtpSetupDialog.tsx')).OtpSetupDialog)

interface OtpStepsProps {
  /** The current stage of the purchase or withdrawal flow. */
  at: string
  /** The authenticator is being set up outside of the flow. */
  isSettingUp: boolean
  onEndSetup: () => void
  onAbandon: (step: 'otpSetup' | 'otpCheck') => void
  onEnabled: () => void
  onVerified: () => void
  /** The purpose of the code. */
  description: string
}

/** The authenticator part of a flow: sets it up if needed and asks for its code. */
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
              // The dialog closes before onEnabled runs, so the setup counts as abandoned only if the flow still waits after
              // that.
              queueMicrotask(() => onAbandon('otpSetup'))
            }}
            onEnabled={() => {
              toast({ title: t('OTP Setup Complete'), description: t('Now enter a code from the app to continue.') })
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
