import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { Controller, useForm } from 'react-hook-form'
import { z } from 'zod'
import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import { resetPassword } from '#shared/contract/password.ts'
import { NEW_PASSWORD_SIGNS } from '#shared/passwordRules.ts'
import { T } from '#pwa/i18n/T.tsx'
import { msg, t } from '#pwa/i18n/t.ts'
import { useTask } from '#pwa/lib/busy.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { readOneTimeCode } from '#pwa/lib/readOneTimeCode.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { DigitsField } from '#pwa/ui/DigitsField.tsx'
import { OneTimeCodeField } from '#pwa/ui/OneTimeCodeField.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { toastMissingCode } from '../security/toastMissingCode.ts'
import { refusedCode, toastCodeSent, toastSendFailed } from './codeToasts.ts'
import { useForgotPassword, useResetPassword } from './queries.ts'
import { ResendCode } from './ResendCode.tsx'
import { SentTo } from './SentTo.tsx'
import type { ResendCountdown } from './useResendCountdown.ts'

const mayBeChanged = msg('No answer from the server. It may have been changed. Try to log in with the new password.')

const resetForm = z
  .object({
    ...resetPassword.body.pick({ code: true, newPassword: true }).shape,
    confirmPassword: z.string().min(1, msg('Please enter password confirmation')),
    token: z.string(),
  })
  .refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, {
    path: ['confirmPassword'],
    message: msg('New password and confirmation password do not match.'),
  })

const empty: z.input<typeof resetForm> = { code: '', newPassword: '', confirmPassword: '', token: '' }

interface ResetPasswordStepProps {
  email: string
  countdown: ResendCountdown
  onDone: () => void
  onBack: () => void
}

export function ResetPasswordStep({ email, countdown, onDone, onBack }: ResetPasswordStepProps) {
  useTask(true)
  // The server reveals whether the account has an authenticator only after the emailed code is right.
  const [isTokenDemanded, setTokenDemanded] = useState(false)
  const reset = useResetPassword()
  const sendCode = useForgotPassword()
  const form = useForm({ resolver: zodResolver(resetForm), defaultValues: empty })
  const { errors } = form.formState

  const submit = form.handleSubmit(({ code, newPassword, token: typed }) => {
    const token = readOneTimeCode(typed)
    if (isTokenDemanded && !token) {
      const message = t('Please enter the 6-digit verification code.')
      form.setError('token', { message }, { shouldFocus: true })
      toastMissingCode()
      return
    }
    reset.mutate(
      { email, code, newPassword, ...(token && { token }) },
      {
        onSuccess: () => {
          toast({ title: t('Password Changed Successfully'), description: t('Please log in with your new password.') })
          onDone()
        },
        onError: (error) => {
          if (isUnauthorized(error)) return
          if (error instanceof ApiError && error.code === 'otp_required') {
            setTokenDemanded(true)
            toast({
              title: t('Authenticator Code Required'),
              description: errorText(error, t('Enter it below the new password.')),
            })
            return
          }
          if (error instanceof ApiError && error.code === 'otp_invalid') form.resetField('token')
          const message = refusedCode(error)
          if (message) form.setError('code', { message }, { shouldFocus: true })
          toast({
            title: failureTitle(error, t('Password Change Failed')),
            description: errorText(error, t('Please try again.'), mayBeChanged),
            destructive: true,
          })
        },
      },
    )
  })

  function resend() {
    sendCode.mutate(email, {
      onSuccess: () => {
        form.resetField('code')
        countdown.start()
        toastCodeSent()
      },
      onError: toastSendFailed,
    })
  }

  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-col gap-5">
      <SentTo email={email} onBack={onBack}>
        {(address) => <T text="If there is an account, a code is on its way to {address}." address={address} />}
      </SentTo>
      <Controller
        control={form.control}
        name="code"
        render={({ field }) => <DigitsField label={t('Verification Code')} autoFocus error={errors.code?.message} {...field} />}
      />
      {/* Tells the password manager which account the new password belongs to. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={t('New Password')}
        autoComplete="new-password"
        hint={t('At least 8 characters, with uppercase, lowercase, a number and one of {signs}', {
          signs: NEW_PASSWORD_SIGNS,
        })}
        error={errors.newPassword?.message}
        {...form.register('newPassword')}
      />
      <PasswordField
        label={t('Confirm New Password')}
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...form.register('confirmPassword')}
      />
      {isTokenDemanded && (
        <Controller
          control={form.control}
          name="token"
          render={({ field }) => (
            <OneTimeCodeField label={t('Authenticator code')} autoFocus error={errors.token?.message} {...field} />
          )}
        />
      )}
      <Button type="submit" isWide isPending={reset.isPending} pendingLabel={t('Changing Password...')}>
        {t('Change Password')}
      </Button>
      <ResendCode countdown={countdown} onResend={resend} isPending={sendCode.isPending} />
    </form>
  )
}
