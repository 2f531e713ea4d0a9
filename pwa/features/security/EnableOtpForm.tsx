import { type FormEvent, useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { OtpCodeField } from './OtpCodeField.tsx'
import { type OtpSetup, useEnableOtp } from './queries.ts'
import { toastMissingCode } from './toastMissingCode.ts'

interface EnableOtpFormProps {
  setup: OtpSetup
  onBack: () => void
  onEnabled: () => void
}

export function EnableOtpForm({ setup: { qrCode, manualEntryKey, secret }, onBack, onEnabled }: EnableOtpFormProps) {
  const [token, setToken] = useState('')
  const enable = useEnableOtp()

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (token.length !== CODE_LENGTH) return toastMissingCode()
    enable.mutate(
      { secret, token },
      {
        onSuccess: () => {
          toast({
            title: 'OTP Enabled Successfully',
            description: 'Google Authenticator has been successfully enabled for your account.',
          })
          onEnabled()
        },
        onError: (error) => {
          setToken('')
          if (isUnauthorized(error)) return
          toast({
            title: 'Verification Failed',
            description: errorText(error, 'Invalid verification code. Please try again.'),
            destructive: true,
          })
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
      <ol className="flex flex-col gap-5 text-14 text-ink-10">
        <li>
          <p>
            <strong className="font-strong text-ink-12">1.</strong> Scan this code with your authenticator app.
          </p>
          {/* On white in both themes: a camera reads dark on light. */}
          <img
            src={qrCode}
            alt="QR code for your authenticator app"
            width={192}
            height={192}
            className="mx-auto mt-3 size-48 rounded-input border border-ink-5 bg-[#fff] p-2 [image-rendering:pixelated]"
          />
        </li>
        <li>
          <p>On this phone already? Type the key into the app instead.</p>
          <div className="mt-2 flex items-center gap-1 rounded-input border border-ink-5 bg-ink-2 py-1 pr-1 pl-4">
            <div className="min-w-0 flex-1">
              <p className="text-12 text-ink-9">Manual Entry Key</p>
              <p className="exact text-16 tracking-[0.06em] text-ink-12 select-all">
                {inFours(manualEntryKey).map((four, at) => (
                  <span key={at} className="mr-2 inline-block">
                    {four}
                  </span>
                ))}
              </p>
            </div>
            <CopyButton value={manualEntryKey} what="manual entry key" />
          </div>
        </li>
        <li>
          <p className="mb-2">
            <strong className="font-strong text-ink-12">2.</strong> Enter the code that the app shows.
          </p>
          <OtpCodeField value={token} onChange={setToken} />
        </li>
      </ol>
      <div className="flex gap-2">
        <Button variant="secondary" onClick={onBack}>
          Back
        </Button>
        <Button
          type="submit"
          className="flex-1"
          disabled={token.length !== CODE_LENGTH}
          isPending={enable.isPending}
          pendingLabel="Verifying..."
        >
          Verify &amp; Enable
        </Button>
      </div>
    </form>
  )
}

/** Groups to read and type by; no blanks between them, so that what is selected is the key itself. */
const inFours = (key: string): string[] => key.replace(/\s/g, '').match(/.{1,4}/g) ?? []
