import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { ApiError } from '#shared/contract/client.ts'
import { sendVerificationCode } from '#shared/contract/identity.ts'
import { CODE_RESEND_SECONDS } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toastCodeSent, toastSendFailed } from './codeToasts.ts'
import { keepEmail, useKeptEmail } from './keptEmail.ts'
import type { useSendCode } from './queries.ts'

interface EmailStepProps {
  /** Initial value. */
  email: string
  hint: string
  /** Sends the code. */
  sendCode: ReturnType<typeof useSendCode>
  /** `secondsLeft`: a code was already sent, and the next may be sent after that time. */
  onSent: (email: string, secondsLeft?: number) => void
  hasFocus?: boolean
}

export function EmailStep({ email, hint, sendCode, onSent, hasFocus = false }: EmailStepProps) {
  const form = useForm({ resolver: zodResolver(sendVerificationCode.body), defaultValues: { email } })
  useKeptEmail({ isEmpty: !email, fill: (kept) => form.setValue('email', kept) })

  const submit = form.handleSubmit((values) =>
    sendCode.mutate(values.email, {
      onSuccess: () => {
        toastCodeSent()
        onSent(values.email)
      },
      onError: (error) => {
        if (!(error instanceof ApiError) || error.code !== 'code_cooldown') return toastSendFailed(error)
        onSent(values.email, Number(error.details.secondsLeft ?? CODE_RESEND_SECONDS))
      },
    }),
  )

  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-col gap-5">
      <TextField
        label={t('Email')}
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        autoFocus={hasFocus}
        hint={hint}
        error={form.formState.errors.email?.message}
        {...form.register('email', { onChange: keepEmail })}
      />
      <Button type="submit" isWide isPending={sendCode.isPending} pendingLabel={t('Sending...')}>
        {t('Send Verification Code')}
      </Button>
    </form>
  )
}
