import { useMutation } from '@tanstack/react-query'
import { beginPasskeyLogin, loginByPasskey } from '#shared/contract/passkeys.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { failureTitle } from '#pwa/lib/errorText.ts'
import { passkeyErrorText, signWithPasskey, useCanUsePasskeys } from '#pwa/lib/passkeys.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { KeyRound } from '#pwa/ui/icons.ts'
import { toast } from '#pwa/ui/toast.ts'
import { useRefetchUser } from './queries.ts'

/** Logs in with a passkey, without email, password and captcha. Absent where the browser has none. */
export function PasskeyLogin({ onDone }: { onDone: () => void }) {
  const canUse = useCanUsePasskeys()
  const refetchUser = useRefetchUser()
  const login = useMutation({
    mutationFn: async () => {
      const passkey = await signWithPasskey(await api(beginPasskeyLogin, {}))
      await api(loginByPasskey, { body: { passkey } })
      await refetchUser()
    },
    onSuccess: () => {
      toast({ title: t('Login Successful'), description: t('Welcome') })
      onDone()
    },
    onError: (error) =>
      toast({ title: failureTitle(error, t('Login Failed')), description: passkeyErrorText(error), destructive: true }),
  })
  if (!canUse) return null
  return (
    <Button
      variant="secondary"
      isWide
      needsServer
      onClick={() => login.mutate()}
      isPending={login.isPending}
      pendingLabel={t('Waiting for your device...')}
    >
      <KeyRound size={18} />
      {t('Log in with a passkey')}
    </Button>
  )
}
