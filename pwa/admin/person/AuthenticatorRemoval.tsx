import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getPerson, type Person } from '#shared/contract/admin/person.ts'
import { cancelAuthenticatorReset, resetUserAuthenticator } from '#shared/contract/admin/users.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { ReasonField } from '../ReasonField.tsx'
import { adminStatusQuery, openProposalsQuery } from '../queries.ts'
import { ProvenDialog } from '../proof/ProvenDialog.tsx'
import { useDialogDraft } from '../useDialogDraft.ts'
import { useMayCall } from '../useMayCall.ts'
import { useRowDecision } from '../useRowDecision.ts'

/** The button that removes a lost authenticator, or keeps one whose removal is planned. */
export function AuthenticatorRemoval({ person: { id, email, authenticator } }: { person: Person }) {
  const mayCall = useMayCall()
  const { data } = useQuery(openProposalsQuery)
  const { data: status } = useQuery({ ...adminStatusQuery, enabled: false })
  const isPlanned = status?.role === 'owner' && data?.owners === 1
  const [isAsked, setAsked] = useState(false)
  /** The planned removal that the question is about: another one may be planned while it is open. */
  const [askedToKeep, askToKeep] = useState<number>()
  const keep = useRowDecision({
    decide: () => api(cancelAuthenticatorReset, { params: { id } }),
    done: t('Authenticator kept'),
    failed: t('The removal was not cancelled'),
    onSettled: () => askToKeep(undefined),
  })
  if (!authenticator.enabledAt || !mayCall(resetUserAuthenticator)) return null
  const planned = authenticator.resetsAt?.getTime()
  if (planned !== undefined)
    return (
      <>
        <Button variant="secondary" needsServer onClick={() => askToKeep(planned)}>
          {t('Keep authenticator')}
        </Button>
        <ConfirmDialog
          open={askedToKeep === planned}
          onOpenChange={(isOpen) => askToKeep(isOpen ? planned : undefined)}
          title={t('Keep the authenticator?')}
          description={
            <>
              <strong className="exact mb-2 block font-strong text-ink-12">{email}</strong>{' '}
              {t('Its removal is cancelled. If it is lost after all, the removal has to be asked for again.')}
            </>
          }
          confirmLabel={t('Keep authenticator')}
          pendingLabel={t('Saving...')}
          isPending={keep.isPending}
          isHarmless
          onConfirm={() => keep.mutate(undefined)}
        />
      </>
    )
  return (
    <>
      <Button variant="secondary" needsServer isPending={isAsked && !data} onClick={() => setAsked(true)}>
        {t('Remove authenticator')}
      </Button>
      {isAsked && data && <RemovalDialog id={id} email={email} isPlanned={isPlanned} onClose={() => setAsked(false)} />}
    </>
  )
}

interface RemovalDialogProps {
  id: string
  email: string
  /** One owner alone plans it. Otherwise another one approves it. */
  isPlanned: boolean
  onClose: () => void
}

export function RemovalDialog({ id, email, isPlanned, onClose }: RemovalDialogProps) {
  const [reason, setReason] = useDialogDraft(`reason: remove authenticator of ${id}`, '')
  return (
    <ProvenDialog
      title={t('Remove a lost authenticator')}
      description={
        isPlanned
          ? t(
              'Check who asks. You are the only owner, so it is removed in 24 hours. The user is notified by email now and can stop it. Withdrawals are then on hold for a day.',
            )
          : t(
              'Check who asks. An owner other than you has to approve this within 24 hours. It is removed as soon as that happens, the user is notified by email, and withdrawals are on hold for a day.',
            )
      }
      action={isPlanned ? t('Remove in 24 hours') : t('Propose removal')}
      isDangerous
      isReady={reason.trim() !== ''}
      run={(proof) => api(resetUserAuthenticator, { params: { id }, body: { ...proof, reason: reason.trim() } })}
      success={{ title: t('Removal planned'), description: t('The authenticator is removed in 24 hours.') }}
      changes={[getPerson.path]}
      failure={t('The authenticator stays')}
      onClose={onClose}
    >
      <p className="font-strong wrap-anywhere">{email}</p>
      <ReasonField label={t('Reason')} hint={t('It is recorded in the audit log.')} value={reason} onChange={setReason} />
    </ProvenDialog>
  )
}
