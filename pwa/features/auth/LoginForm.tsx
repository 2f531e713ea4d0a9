import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { isUnauthorized } from '#shared/contract/client.ts'
import { loginPayload } from '#shared/contract/identity.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText, failureTitle, mayRepeat } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { keepEmail, useKeptEmail } from './keptEmail.ts'
import { PasskeyLogin } from './PasskeyLogin.tsx'
import { useLogin } from './queries.ts'

interface LoginFormProps {
  /** Initial value. */
  email: string
  onDone: () => void
  /** Receives the address typed so far. */
  onForgotten: (email: string) => void
}

export function LoginForm({ email, onDone, onForgotten }: LoginFormProps) {
  const login = useLogin()
  const form = useForm({ resolver: zodResolver(loginPayload), defaultValues: { email, password: '' } })
  const { errors } = form.formState
  useKeptEmail({ isEmpty: !email, fill: (kept) => form.setValue('email', kept) })

  const submit = form.handleSubmit((values) =>
    login.mutate(values, {
      onSuccess: () => {
        toast({ title: t('Login Successful'), description: t('Welcome') })
        onDone()
      },
      onError: (error) => {
        if (isUnauthorized(error)) return
        toast({
          title: failureTitle(error, t('Login Failed')),
          description: errorText(error, t('Please try again.'), mayRepeat),
          destructive: true,
        })
      },
    }),
  )

  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-col gap-5">
      <TextField
        label={t('Email')}
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        error={errors.email?.message}
        {...form.register('email', { onChange: keepEmail })}
      />
      <PasswordField
        label={t('Password')}
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register('password')}
      />
      <Button type="submit" isWide isPending={login.isPending} pendingLabel={t('Logging in...')}>
        {t('Login')}
      </Button>
      <PasskeyLogin onDone={onDone} />
      <Button variant="quiet" isWide className="-mt-2" onClick={() => onForgotten(form.getValues('email'))}>
        {t('Forgot password?')}
      </Button>
    </form>
  )
}
