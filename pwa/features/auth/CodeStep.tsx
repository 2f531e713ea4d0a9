import { zodResolver } from '@hookform/resolvers/zod'
import { Controller, useForm } from 'react-hook-form'
import { isUnauthorized } from '#shared/contract/client.ts'
import { verifyCode } from '#shared/contract/identity.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { useTask } from '#pwa/lib/busy.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { DigitsField } from '#pwa/ui/DigitsField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { refusedCode, toastCodeSent, toastInvalidCode, toastSendFailed } from './codeToasts.ts'
import { useSendCode, useVerifyCode } from './queries.ts'
import { ResendCode } from './ResendCode.tsx'
import { SentTo } from './SentTo.tsx'
import type { ResendCountdown } from './useResendCountdown.ts'

interface CodeStepProps {
  email: string
  countdown: ResendCountdown
  onVerified: () => void
  onBack: () => void
}

export function CodeStep({ email, countdown, onVerified, onBack }: CodeStepProps) {
  useTask(true)
  const verify = useVerifyCode()
  const sendCode = useSendCode()
  const form = useForm({ resolver: zodResolver(verifyCode.body.pick({ code: true })), defaultValues: { code: '' } })

  const submit = form.handleSubmit(
    ({ code }) =>
      verify.mutate(
        { email, code },
        {
          onSuccess: () => {
            toast({ title: t('Email Verified'), description: t('Please set your password') })
            onVerified()
          },
          onError: (error) => {
            if (isUnauthorized(error)) return
            const message = refusedCode(error)
            if (message) form.setError('code', { message }, { shouldFocus: true })
            toast({
              title: failureTitle(error, t('Invalid Code')),
              description: errorText(error, t('Please try again.')),
              destructive: true,
            })
          },
        },
      ),
    ({ code }) => code?.message && toastInvalidCode(code.message),
  )

  function resend() {
    sendCode.mutate(email, {
      onSuccess: () => {
        form.reset()
        countdown.start()
        toastCodeSent()
      },
      onError: toastSendFailed,
    })
  }

  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-col gap-5">
      <SentTo email={email} onBack={onBack}>
        {(address) => <T text="We sent a code to {address}." address={address} />}
      </SentTo>
      <Controller
        control={form.control}
        name="code"
        render={({ field, fieldState }) => (
          <DigitsField label={t('Verification Code')} autoFocus error={fieldState.error?.message} {...field} />
        )}
      />
      <Button type="submit" isWide isPending={verify.isPending} pendingLabel={t('Verifying...')}>
        {t('Verify Code')}
      </Button>
      <ResendCode countdown={countdown} onResend={resend} isPending={sendCode.isPending} />
    </form>
  )
}
