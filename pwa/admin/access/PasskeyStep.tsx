import { useMutation } from '@tanstack/react-query'
import { ApiError } from '#shared/contract/client.ts'
import { beginAdminPasskeyLogin, loginAdminByPasskey } from '#shared/contract/admin/passkeys.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { passkeyErrorText, signWithPasskey, useCanUsePasskeys } from '#pwa/lib/passkeys.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { KeyRound } from '#pwa/ui/icons.ts'
import { Notice } from '#pwa/ui/Notice.tsx'
import { toast } from '#pwa/ui/toast.ts'

const COMMAND = 'npm run admin -- reset-passkeys'

interface PasskeyStepProps {
  /** A code is accepted too. */
  hasCode: boolean
  onBack: () => void
  onDone: () => Promise<void>
}

/** Completes the login with a passkey. */
export function PasskeyStep({ hasCode, onBack, onDone }: PasskeyStepProps) {
  const canUse = useCanUsePasskeys()
  const login = useMutation({
    mutationFn: async () => {
      const passkey = await signWithPasskey(await api(beginAdminPasskeyLogin, {}))
      return api(loginAdminByPasskey, { body: { passkey } })
    },
    onSuccess: onDone,
    onError: (error) => {
      toast({ title: t('Passkey Login Failed'), description: passkeyErrorText(error), destructive: true })
      // The password must be entered again.
      if (error instanceof ApiError && error.code === 'login_expired') onBack()
    },
  })
  if (!canUse)
    return hasCode ? null : (
      <Notice tone="warning" title={t('This browser cannot use passkeys')}>
        <T
          text="Your login needs a passkey. Use another browser or device; if you have lost all passkeys, the operator of the server removes them with {command}."
          command={<code className="exact">{COMMAND}</code>}
        />
      </Notice>
    )
  return (
    <Button
      variant={hasCode ? 'secondary' : 'primary'}
      isWide
      needsServer
      autoFocus={!hasCode}
      onClick={() => login.mutate()}
      isPending={login.isPending}
      pendingLabel={t('Waiting for your device...')}
    >
      <KeyRound size={18} />
      {t('Use a passkey')}
    </Button>
  )
}
