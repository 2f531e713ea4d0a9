import { type FormEvent, useRef, useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { readOneTimeCode } from '#pwa/lib/readOneTimeCode.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { OneTimeCodeField } from '#pwa/ui/OneTimeCodeField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useDisableOtp } from './queries.ts'
import { toastMissingCode } from './toastMissingCode.ts'

export function DisableOtpForm({ onDisabled }: { onDisabled: () => void }) {
  const [typed, setTyped] = useState('')
  const disable = useDisableOtp()
  const field = useRef<HTMLInputElement>(null)
  const token = readOneTimeCode(typed)

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (disable.isPending) return
    if (!token) return toastMissingCode()
    disable.mutate(token, {
      onSuccess: () => {
        toast({
          title: t('OTP Disabled'),
          description: t(
            'You need an authenticator to buy and withdraw. Set it up again before your next purchase or withdrawal.',
          ),
        })
        onDisabled()
      },
      onError: (error) => {
        setTyped('')
        field.current?.focus()
        if (isUnauthorized(error)) return
        toast({
          title: failureTitle(error, t('Disable Failed')),
          description: errorText(error, t('Invalid verification code. Please try again.'), isShownHere),
          destructive: true,
        })
      },
    })
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
      <p className="text-14 text-ink-10">{t('To turn it off, enter the current code from your app.')}</p>
      <OneTimeCodeField ref={field} value={typed} onChange={setTyped} />
      <Button
        type="submit"
        variant="danger"
        isWide
        disabled={!token}
        isPending={disable.isPending}
        pendingLabel={t('Disabling...')}
      >
        {t('Disable OTP')}
      </Button>
    </form>
  )
}
