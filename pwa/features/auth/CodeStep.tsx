import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { isUnauthorized } from '#shared/contract/client.ts'
import { verifyCode } from '#shared/contract/identity.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { toastCodeSent, toastSendFailed } from './codeToasts.ts'
import { useSendCode, useVerifyCode } from './queries.ts'
import type { ResendCountdown } from './useResendCountdown.ts'

interface CodeStepProps {
  email: string
  countdown: ResendCountdown
  onVerified: () => void
  onBack: () => void
}

export function CodeStep({ email, countdown, onVerified, onBack }: CodeStepProps) {
  const verify = useVerifyCode()
  const sendCode = useSendCode()
  const form = useForm({ resolver: zodResolver(verifyCode.body.pick({ code: true })), defaultValues: { code: '' } })

  const submit = form.handleSubmit(({ code }) =>
    verify.mutate(
      { email, code },
      {
        onSuccess: () => {
          toast({ title: 'Email Verified', description: 'Please set your password' })
          onVerified()
        },
        onError: (error) => {
          if (isUnauthorized(error)) return
          toast({ title: 'Invalid Code', description: errorText(error, 'Please try again.'), destructive: true })
        },
      },
    ),
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

  const { secondsLeft } = countdown
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <p className="text-14 text-ink-10">
        We sent a code to <strong className="font-strong break-all text-ink-12">{email}</strong>.{' '}
        <button type="button" onClick={onBack} className="text-accent underline underline-offset-2">
          Use another address
        </button>
      </p>
      <TextField
        label="Verification Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        className="figures text-20! tracking-[0.2em]!"
        error={form.formState.errors.code?.message}
        {...form.register('code', {
          onChange: ({ target }) => form.setValue('code', (target.value as string).replace(/\D/g, '').slice(0, CODE_LENGTH)),
        })}
      />
      <Button type="submit" isWide isPending={verify.isPending} pendingLabel="Verifying...">
        Verify Code
      </Button>
      {secondsLeft > 0 ? (
        <p role="timer" className="figures flex min-h-11 items-center justify-center text-14 text-ink-9">
          A new code can be sent in {formatCountdown(secondsLeft)}
        </p>
      ) : (
        <Button variant="quiet" isWide onClick={resend} isPending={sendCode.isPending} pendingLabel="Sending...">
          Resend Code
        </Button>
      )}
    </form>
  )
}

/** 0:59 */
const formatCountdown = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
