import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import type { CreationOptions, NewPasskey } from '#shared/contract/passkeys.ts'
import { t } from '#pwa/i18n/t.ts'
import { failureTitle } from '#pwa/lib/errorText.ts'
import { createPasskey, hasPlatformAuthenticator, passkeyErrorText } from '#pwa/lib/passkeys.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'

interface AddPasskeyDialogProps {
  onClose: () => void
  /** Fields with which the owner confirms it; absent where that happened before or happens in `begin`. */
  proof?: ReactNode
  isProofGiven?: boolean
  /** Sends the confirmation. */
  begin: () => Promise<CreationOptions>
  add: (body: { name: string; passkey: NewPasskey }) => Promise<unknown>
}

/** Asks for a name and a confirmation, then lets the browser create the passkey. Mounted while it is open. */
export function AddPasskeyDialog({ onClose, proof, isProofGiven = true, begin, add }: AddPasskeyDialogProps) {
  const formId = useId()
  const [name, setName] = useState('')
  // Confirmed already: pressing again after a canceled prompt needs no other code.
  const [options, setOptions] = useState<CreationOptions | null>(null)
  const { data: isOwnDevice } = useQuery({ queryKey: ['platform-authenticator'], queryFn: hasPlatformAuthenticator })
  const adding = useMutation({
    mutationFn: async () => {
      const started = options ?? (await begin())
      setOptions(started)
      const passkey = await createPasskey(started)
      setOptions(null)
      return add({ name, passkey })
    },
    onSuccess: () => {
      toast({ title: t('Passkey Added'), description: t('You can log in with it from now on.') })
      onClose()
    },
    onError: (error) => {
      // The caller then shows the fields of the proof.
      if (isUnauthorized(error) || (error instanceof ApiError && error.code === 'proof_required')) return
      toast({ title: failureTitle(error, t('No Passkey Added')), description: passkeyErrorText(error), destructive: true })
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    adding.mutate()
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Add a Passkey')}
      description={t('Your device will ask for your fingerprint, face or PIN.')}
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button
            type="submit"
            form={formId}
            disabled={!isProofGiven && !options}
            isPending={adding.isPending}
            pendingLabel={t('Waiting for your device...')}
          >
            {t(options && !adding.isPending ? 'Try again' : 'Create passkey')}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-5">
        {isOwnDevice === false && (
          <Notice title={t('This device has no screen lock for passkeys')}>
            {t('You can use a security key with a PIN, or another phone.')}
          </Notice>
        )}
        <TextField
          label={t('Name (optional)')}
          hint={t('To tell it from others, such as “Work laptop”.')}
          name="passkeyName"
          autoComplete="off"
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {!options && proof}
      </form>
    </Dialog>
  )
}
