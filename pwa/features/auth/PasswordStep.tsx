import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { isUnauthorized } from '#shared/contract/client.ts'
import { SIGN_UP_SIGNS, signUpPassword } from '#shared/passwordRules.ts'
import { msg, t } from '#pwa/i18n/t.ts'
import { useTask } from '#pwa/lib/busy.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useRegister } from './queries.ts'

const mayExist = msg('No answer from the server. Your account may exist already. Try to log in first.')

const passwordForm = z
  .object({ password: signUpPassword, confirmPassword: z.string().min(1, msg('Please enter password confirmation')) })
  .refine(({ password, confirmPassword }) => password === confirmPassword, {
    path: ['confirmPassword'],
    message: msg('Passwords do not match'),
  })

export function PasswordStep({ email, onDone }: { email: string; onDone: () => void }) {
  useTask(true)
  const register = useRegister()
  const form = useForm({ resolver: zodResolver(passwordForm), defaultValues: { password: '', confirmPassword: '' } })
  const { errors } = form.formState

  const submit = form.handleSubmit(({ password }) =>
    register.mutate(
      { email, password },
      {
        onSuccess: () => {
          toast({ title: t('Registration Successful'), description: t('Welcome') })
          onDone()
        },
        onError: (error) => {
          if (isUnauthorized(error)) return
          toast({
            title: failureTitle(error, t('Registration Failed')),
            description: errorText(error, t('Please try again.'), mayExist),
            destructive: true,
          })
        },
      },
    ),
  )

  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-col gap-5">
      {/* Tells the password manager which account the new password belongs to. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={t('Password')}
        autoComplete="new-password"
        autoFocus
        hint={t('At least 8 characters, with uppercase, lowercase, a number and one of {signs}', { signs: SIGN_UP_SIGNS })}
        error={errors.password?.message}
        {...form.register('password')}
      />
      <PasswordField
        label={t('Confirm Password')}
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...form.register('confirmPassword')}
      />
      <Button type="submit" isWide isPending={register.isPending} pendingLabel={t('Creating Account...')}>
        {t('Complete Sign Up')}
      </Button>
    </form>
  )
}
