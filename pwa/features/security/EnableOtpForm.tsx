import { type FormEvent, useRef, useState } from 'react'
import { isUnauthorized, mayBeDone } from '#shared/contract/client.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { AuthenticatorKey } from '#pwa/ui/AuthenticatorKey.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { DigitsField } from '#pwa/ui/DigitsField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import type { OtpSetup, useEnableOtp } from './queries.ts'
import { toastMissingCode } from './toastMissingCode.ts'

interface EnableOtpFormProps {
  setup: OtpSetup
  /** The dialog's, which outlives this form: the recovery codes are in the answer only. */
  enable: ReturnType<typeof useEnableOtp>
  onBack: () => void
  onEnabled: (recoveryCodes: string[]) => void
  /** Nobody knows whether it is enabled. */
  onUnanswered: () => void
}

export function EnableOtpForm({ setup, enable, onBack, onEnabled, onUnanswered }: EnableOtpFormProps) {
  const { qrCode, manualEntryKey, secret } = setup
  const [token, setToken] = useState('')
  const field = useRef<HTMLInputElement>(null)

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (enable.isPending) return
    if (token.length !== CODE_LENGTH) return toastMissingCode()
    enable.mutate(
      { secret, token },
      {
        onSuccess: ({ recoveryCodes }) => {
          toast({
            title: t('OTP Enabled Successfully'),
            description: t('Google Authenticator has been successfully enabled for your account.'),
          })
          onEnabled(recoveryCodes)
        },
        onError: (error) => {
          setToken('')
          field.current?.focus()
          if (isUnauthorized(error)) return
          if (mayBeDone(error)) return onUnanswered()
          toast({
            title: t('Verification Failed'),
            description: errorText(error, t('Invalid verification code. Please try again.')),
            destructive: true,
          })
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
      <AuthenticatorKey qrCode={qrCode} manualEntryKey={manualEntryKey} />
      <div>
        <p className="mb-2 text-14 text-ink-10">
          <strong className="font-strong text-ink-12">2.</strong> {t('Enter the code shown in the app.')}
        </p>
        <DigitsField ref={field} label={t('6-digit code')} value={token} onChange={setToken} />
      </div>
      <div className="flex gap-2">
        <Button variant="secondary" onClick={onBack} disabled={enable.isPending}>
          {t('Back')}
        </Button>
        <Button
          type="submit"
          className="flex-1"
          disabled={token.length !== CODE_LENGTH}
          isPending={enable.isPending}
          pendingLabel={t('Verifying...')}
        >
          {t('Verify & Enable')}
        </Button>
      </div>
    </form>
  )
}
