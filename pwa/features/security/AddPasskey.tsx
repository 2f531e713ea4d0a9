import { useState } from 'react'
import { ApiError } from '#shared/contract/client.ts'
import { addPasskey, beginPasskey } from '#shared/contract/passkeys.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { AddPasskeyDialog } from '#pwa/ui/AddPasskeyDialog.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { OneTimeCodeDialog } from '#pwa/ui/OneTimeCodeDialog.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'

interface AddPasskeyProps {
  hasOthers: boolean
  isOtpEnabled: boolean
  onAdded: () => Promise<unknown>
}

/** Adds a passkey, after a code of the authenticator or the password. */
export function AddPasskey({ hasOthers, isOtpEnabled, onAdded }: AddPasskeyProps) {
  const [step, setStep] = useState<'code' | 'add' | null>(null)
  const [password, setPassword] = useState('')
  /** Also with a code, if the authenticator is younger than a day. */
  const [isPasswordDemanded, setPasswordDemanded] = useState(false)
  const needsPassword = !isOtpEnabled || isPasswordDemanded

  function close() {
    setStep(null)
    setPassword('')
  }

  return (
    <>
      <Button
        variant="secondary"
        className={hasOthers ? 'mt-4 w-full desk:w-auto' : 'w-full desk:w-auto'}
        needsServer
        onClick={() => setStep(isOtpEnabled ? 'code' : 'add')}
      >
        {t('Add a passkey')}
      </Button>
      <OneTimeCodeDialog
        open={step === 'code'}
        onOpenChange={(isOpen) => !isOpen && setStep((now) => (now === 'code' ? null : now))}
        title={t('Add a Passkey')}
        description={t('Enter the code from your authenticator app to add a passkey.')}
        onVerified={() => setStep('add')}
      />
      {step === 'add' && (
        <AddPasskeyDialog
          onClose={close}
          isProofGiven={!needsPassword || password !== ''}
          {...(needsPassword && {
            proof: (
              <PasswordField
                label={t('Your password')}
                name="passkeyPassword"
                autoComplete="current-password"
                autoFocus={isPasswordDemanded}
                hint={
                  isPasswordDemanded
                    ? t('Your authenticator is less than a day old, so please enter your password as well.')
                    : undefined
                }
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
            ),
          })}
          begin={() =>
            api(beginPasskey, { body: password ? { password } : {} }).catch((failure: unknown) => {
              if (failure instanceof ApiError && failure.code === 'proof_required') setPasswordDemanded(true)
              throw failure
            })
          }
          add={async (body) => {
            await api(addPasskey, { body })
            await onAdded()
          }}
        />
      )}
    </>
  )
}
