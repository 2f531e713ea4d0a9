import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { mayBeDone } from '#shared/contract/client.ts'
import { adminEnableOtp, type adminSetupOtp } from '#shared/contract/admin/login.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { passkeyErrorText } from '#pwa/lib/passkeys.ts'
import { forgetShownSecret } from '#pwa/lib/shownSecret.ts'
import { AuthenticatorKey } from '#pwa/ui/AuthenticatorKey.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { DigitsField } from '#pwa/ui/DigitsField.tsx'
import { submitOnEnter } from '#pwa/ui/submitOnEnter.ts'
import { toast } from '#pwa/ui/toast.ts'
import { useAdminProof } from '../proof/useAdminProof.tsx'
import { adminOtpStatusQuery, adminPasskeysQuery } from '../queries.ts'
import { toastFailure } from '../toastFailure.ts'
import { toastInvalidCode } from '../toastInvalidCode.ts'

type Setup = Output<typeof adminSetupOtp>

/** Open while a setup is in progress. */
export function SetupAdminOtpDialog({ setup, onClose }: { setup: Setup | null; onClose: () => void }) {
  return (
    <Dialog
      open={setup !== null}
      onOpenChange={onClose}
      title={t('Setup OTP')}
      description={t('The administrator login will then also require a code from your phone.')}
    >
      {setup && <EnableForm setup={setup} onDone={onClose} />}
    </Dialog>
  )
}

function EnableForm({ setup: { qrCode, manualEntryKey, secret }, onDone }: { setup: Setup; onDone: () => void }) {
  const queryClient = useQueryClient()
  const [token, setToken] = useState('')
  const { data: passkeys } = useQuery(adminPasskeysQuery)
  const needsPasskey = passkeys?.factors.includes('passkey') === true
  const proof = useAdminProof()
  const enable = useMutation({
    mutationFn: async () => {
      const { passkey } = needsPasskey ? await proof.read() : {}
      return api(adminEnableOtp, { body: { secret, token, ...(passkey && { passkey }) } })
    },
    onSuccess: () => {
      forgetShownSecret()
      applyAnswer(queryClient, adminOtpStatusQuery, { otpEnabled: true })
      void queryClient.invalidateQueries({ queryKey: adminPasskeysQuery.queryKey })
      toast({
        title: t('OTP Setup Complete'),
        description: t('Google Authenticator has been successfully enabled for your account.'),
      })
      onDone()
    },
    onError: (error) => {
      if (mayBeDone(error)) forgetShownSecret()
      setToken('')
      const fallback = needsPasskey ? passkeyErrorText(error) : t('Failed to enable two-factor authentication.')
      toastFailure(error, t('OTP Enable Failed'), fallback)
    },
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (token.length !== CODE_LENGTH) return toastInvalidCode()
    enable.mutate()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5 text-14 text-ink-10">
      <AuthenticatorKey qrCode={qrCode} manualEntryKey={manualEntryKey} copied={t('Copied')} />
      <div>
        <p className="mb-2">
          <strong className="font-strong text-ink-12">2.</strong> {t('Enter the code shown in the app.')}
        </p>
        <DigitsField label={t('6-digit code')} value={token} onChange={setToken} onKeyDown={submitOnEnter} />
      </div>
      {needsPasskey && proof.fields}
      <Button
        type="submit"
        isWide
        disabled={token.length !== CODE_LENGTH}
        isPending={enable.isPending}
        pendingLabel={t('Verifying...')}
      >
        {t('Enable OTP')}
      </Button>
    </form>
  )
}
