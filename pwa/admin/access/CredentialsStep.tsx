import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '#shared/contract/client.ts'
import { adminLogin } from '#shared/contract/admin/login.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { CredentialFields } from './CredentialFields.tsx'

export type SecondFactor = Output<typeof adminLogin>['factors'][number]

interface CredentialsStepProps {
  /** Called when the password is right and the server requires one of these factors too. */
  onHalfDone: (factors: readonly SecondFactor[]) => void
  onDone: () => Promise<void>
}

export function CredentialsStep({ onHalfDone, onDone }: CredentialsStepProps) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const login = useMutation({
    mutationFn: () => api(adminLogin, { body: { username, password } }),
    onSuccess: async ({ requiresOtp, factors }) => {
      if (!requiresOtp) return onDone()
      toast({
        title: t('Password Verified'),
        description: factors.includes('passkey') ? t('Please use a passkey') : t('Please enter authenticator code'),
      })
      onHalfDone(factors)
    },
    onError: (error) =>
      toast({
        title: t('Login Failed'),
        description:
          error instanceof ApiError
            ? errorText(error, t('Invalid credentials'))
            : t('An error occurred during login. Please try again.'),
        destructive: true,
      }),
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (!username.trim() || !password.trim()) {
      toast({ title: t('Input Required'), description: t('Please enter both username and password.'), destructive: true })
      return
    }
    login.mutate()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
      <CredentialFields
        username={username}
        onUsername={setUsername}
        password={password}
        onPassword={setPassword}
        passwordField={{ name: 'password', autoComplete: 'current-password' }}
      />
      <Button type="submit" isWide isPending={login.isPending} pendingLabel={t('Signing in...')}>
        {t('Continue')}
      </Button>
    </form>
  )
}
