import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { changeProofKey, type ProofKeys, showProofKeys } from '#shared/contract/register.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { configQuery, otpStatusQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { OneTimeCodeDialog } from '#pwa/ui/OneTimeCodeDialog.tsx'
import { toast } from '#pwa/ui/toast.ts'

/** Shows the key that opens the account's part of the public register, and replaces it. Each needs a code. */
export function ProofKeyCard() {
  const { data: config } = useQuery(configQuery)
  const { data: otp } = useQuery(otpStatusQuery)
  const [asked, setAsked] = useState<'show' | 'change' | null>(null)
  const [keys, setKeys] = useState<ProofKeys | null>(null)
  const show = useMutation({ mutationFn: () => api(showProofKeys, {}) })
  const change = useMutation({ mutationFn: () => api(changeProofKey, {}) })
  if (!config?.register || !otp?.otpEnabled) return null

  const onError = (error: unknown) => {
    if (isUnauthorized(error)) return
    const description = errorText(error, t('Please try again.'))
    toast({ title: failureTitle(error, t("Couldn't get the proof key")), description, destructive: true })
  }
  return (
    <Card>
      <h2 className="font-strong">{t('Proof Key')}</h2>
      <p className="mt-1 text-14 text-ink-10">
        {t(
          'With this key and your email, anyone can find your nodes, payments and withdrawals in the public register. You need it to verify them with a program other than this page. Keep it private.',
        )}
      </p>
      <div className="mt-5 grid grid-cols-2 gap-2 desk:flex">
        <Button variant="secondary" needsServer onClick={() => setAsked('show')} isPending={show.isPending}>
          {t('Show key')}
        </Button>
        <Button variant="secondary" needsServer onClick={() => setAsked('change')} isPending={change.isPending}>
          {t('Replace key')}
        </Button>
      </div>
      <OneTimeCodeDialog
        open={asked === 'show'}
        onOpenChange={() => setAsked(null)}
        title={t('Show Proof Key')}
        description={t('Enter the code from your authenticator app to see your proof key.')}
        onVerified={() => show.mutate(undefined, { onSuccess: setKeys, onError })}
      />
      <OneTimeCodeDialog
        open={asked === 'change'}
        onOpenChange={() => setAsked(null)}
        title={t('Replace Proof Key')}
        description={t(
          'Enter the code from your authenticator app. The new key opens what is published from now on. What was published before stays open to your old key.',
        )}
        onVerified={() => change.mutate(undefined, { onSuccess: setKeys, onError })}
      />
      <Dialog open={keys !== null} onOpenChange={() => setKeys(null)} title={t('Your proof key')}>
        {keys && <Keys keys={keys} />}
      </Dialog>
    </Card>
  )
}

function Keys({ keys: { proofKey, earlier, email } }: { keys: ProofKeys }) {
  return (
    <div className="flex flex-col gap-4 text-14">
      <Key value={proofKey} />
      <p className="text-ink-10">{t('It belongs to {email}.', { email })}</p>
      {earlier.length > 0 && (
        <div className="flex flex-col gap-2">
          <h3 className="font-strong">{t('Earlier keys, for what was published before')}</h3>
          {earlier.map((key) => (
            <Key key={key} value={key} />
          ))}
        </div>
      )}
    </div>
  )
}

const Key = ({ value }: { value: string }) => (
  <div className="flex items-center gap-1 rounded-input border border-ink-5 bg-ink-2 py-1 pr-1 pl-4">
    <p translate="no" className="exact min-w-0 flex-1 break-all text-ink-12 select-all">
      {value}
    </p>
    <CopyButton value={value} what={t('proof key')} />
  </div>
)
