import { useState } from 'react'
import { getPerson, type Person } from '#shared/contract/admin/person.ts'
import { cancelAuthenticatorReset, resetUserAuthenticator } from '#shared/contract/admin/users.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ReasonField } from '../purchases/ReasonField.tsx'
import { ProvenDialog } from '../settings/ProvenDialog.tsx'
import { useMayCall } from '../useMayCall.ts'
import { useRowDecision } from '../useRowDecision.ts'

/** The button that removes a lost authenticator, or keeps one whose removal is planned. */
export function AuthenticatorRemoval({ person: { id, email, authenticator } }: { person: Person }) {
  const mayCall = useMayCall()
  const [isAsked, setAsked] = useState(false)
  const keep = useRowDecision({
    decide: () => api(cancelAuthenticatorReset, { params: { id } }),
    done: t('Authenticator kept'),
    failed: t('The removal was not canceled'),
    onSettled: () => {},
  })
  if (!authenticator.enabledAt || !mayCall(resetUserAuthenticator)) return null
  if (authenticator.resetsAt)
    return (
      <Button variant="secondary" needsServer isPending={keep.isPending} onClick={() => keep.mutate(undefined)}>
        {t('Keep authenticator')}
      </Button>
    )
  return (
    <>
      <Button variant="secondary" needsServer onClick={() => setAsked(true)}>
        {t('Remove authenticator')}
      </Button>
      {isAsked && <RemovalDialog id={id} email={email} onClose={() => setAsked(false)} />}
    </>
  )
}

function RemovalDialog({ id, email, onClose }: { id: string; email: string; onClose: () => void }) {
  const [reason, setReason] = useState('')
  return (
    <ProvenDialog
      title={t('Remove a lost authenticator')}
      description={t(
        'Check who asks. With two owners another one approves it, and it is removed at once. Otherwise it is removed after 24 hours. The user is notified by email and can stop it, and withdrawals are on hold for a day.',
      )}
      action={t('Remove authenticator')}
      isDangerous
      isReady={reason.trim() !== ''}
      run={(proof) => api(resetUserAuthenticator, { params: { id }, body: { ...proof, reason: reason.trim() } })}
      success={{ title: t('Removal planned'), description: t('The authenticator is removed in 24 hours.') }}
      changes={[getPerson.path]}
      failure={t('The authenticator stays')}
      onClose={onClose}
    >
      <p className="font-strong break-all">{email}</p>
      <ReasonField label={t('Reason')} hint={t('It is recorded in the audit log.')} value={reason} onChange={setReason} />
    </ProvenDialog>
  )
}
