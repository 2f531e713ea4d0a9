import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '#shared/contract/client.ts'
import { adminVerifyOtp } from '#shared/contract/admin/login.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { DigitsField } from '#pwa/ui/DigitsField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { toastInvalidCode } from '../toastInvalidCode.ts'

interface CodeStepProps {
  onBack: () => void
  onDone: () => Promise<void>
}

export function CodeStep({ onBack, onDone }: CodeStepProps) {
  const [token, setToken] = useState('')
  const verify = useMutation({
    mutationFn: () => api(adminVerifyOtp, { body: { token } }),
    onSuccess: onDone,
    onError: (error) => {
      setToken('')
      if (!(error instanceof ApiError)) {
        toast({
          title: t('Verification Failed'),
          description: t('An error occurred during OTP verification. Please try again.'),
          destructive: true,
        })
        return
      }
      toast({
        title: failureTitle(error, t('OTP Verification Failed')),
        description: errorText(error, t('Invalid verification code')),
        destructive: true,
      })
      // The password must be entered again.
      if (error.code === 'login_expired') onBack()
    },
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (!token) {
      toast({ title: t('OTP Required'), description: t('Please enter your 6-digit verification code.'), destructive: true })
      return
    }
    if (token.length !== CODE_LENGTH) return toastInvalidCode()
    verify.mutate()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
      <DigitsField label={t('6-digit code')} value={token} onChange={setToken} autoFocus />
      <Button type="submit" isWide isPending={verify.isPending} pendingLabel={t('Verifying...')}>
        {t('Verify & Sign In')}
      </Button>
      <Button variant="secondary" isWide onClick={onBack}>
        {t('Back to Login')}
      </Button>
    </form>
  )
}
