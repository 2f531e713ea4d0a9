import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminRole } from '#shared/adminRoles.ts'
import {
  type AdministratorRow,
  changeAdministrator,
  type InvitationRow,
  inviteAdministrator,
  removeAdministrator,
  revokeInvitation,
} from '#shared/contract/admin/administrators.ts'
import { email as emailSchema } from '#shared/email.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { formatTime } from '../zone/officeZone.ts'
import { ProposedChange } from '../proposals/ProposedChange.tsx'
import { ReasonField } from '../ReasonField.tsx'
import { RowButton } from '../lists/RowButton.tsx'
import { administratorsQuery, adminUserQuery } from '../queries.ts'
import { roleNames } from '../roleNames.ts'
import { toastFailure } from '../toastFailure.ts'
import { ProvenDialog } from '../proof/ProvenDialog.tsx'
import { useDialogDraft } from '../useDialogDraft.ts'
import { RoleField } from './RoleField.tsx'
import { SettingError } from './SettingError.tsx'

type Asked = { about: 'invite' } | { about: 'change' | 'remove'; administrator: AdministratorRow }

/** Who may open the back office, and what for. Owners see it. */
export function AdministratorsCard() {
  const { data, error, refetch } = useQuery(administratorsQuery)
  const { data: me } = useQuery(adminUserQuery)
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  /** As it is now, if another administrator has changed it meanwhile. */
  const present = (one: AdministratorRow) => data?.administrators.find(({ id }) => id === one.id) ?? one
  const invite = () => setAsked({ about: 'invite' })
  return (
    <Card>
      <CardHeader title={t('Administrators')} />
      <p className="mb-4 text-14 text-ink-10">
        {t(
          'Give each person an account of their own, so that the audit log says who did what. A role allows only what it is for.',
        )}
      </p>
      {error && !data && <SettingError error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton className="h-40" />}
      {data && data.administrators.filter(({ role }) => role === 'owner').length === 1 && (
        <div className="mb-4">
          <Notice tone="warning" title={t('There is one owner')}>
            {t(
              'Until there is a second owner, nobody has to approve what one of you does: large payouts, purchases without a payment, bonus nodes, prices and fees, payout caps, the IP list, roles. Only if support asks for the removal of a lost authenticator, an owner has to approve it. Invite a second owner whom you trust.',
            )}
          </Notice>
        </div>
      )}
      <ProposedChange actions={['admin.invite', 'admin.role', 'admin.remove']} />
      {data && (
        <ul aria-label={t('Administrators')} className="divide-y divide-ink-4 rounded-input border border-ink-5">
          {data.administrators.map((one) => (
            <Administrator key={one.id} administrator={one} isMe={one.id === me?.adminId} onAsk={setAsked} />
          ))}
        </ul>
      )}
      {data && data.invitations.length > 0 && <Invitations invitations={data.invitations} />}
      {data && (
        <Button variant="secondary" className="mt-4 w-full desk:w-auto" needsServer onClick={invite}>
          {t('Invite an administrator')}
        </Button>
      )}
      {asked?.about === 'invite' && <InviteDialog onClose={close} />}
      {asked?.about === 'change' && <RoleDialog administrator={present(asked.administrator)} onClose={close} />}
      {asked?.about === 'remove' && <RemoveDialog administrator={asked.administrator} onClose={close} />}
    </Card>
  )
}

function Administrator({
  administrator,
  isMe,
  onAsk,
}: {
  administrator: AdministratorRow
  isMe: boolean
  onAsk: (asked: Asked) => void
}) {
  const { username, email, role, factors, lastSeenAt } = administrator
  const change = () => onAsk({ about: 'change', administrator })
  const remove = () => onAsk({ about: 'remove', administrator })
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-3.5 py-3 text-14">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-strong wrap-anywhere">
          {username}
          {isMe && <span className="font-normal text-ink-9"> {t('(you)')}</span>}
        </p>
        <p className="text-ink-9 wrap-anywhere">
          {translate(roleNames[role])}
          {email && ` · ${email}`}
        </p>
        <p className="text-ink-9">{lastSeenAt ? t('Last seen {time}', { time: formatTime(lastSeenAt) }) : t('Not logged in')}</p>
        {factors.length === 0 && <StatusWord tone="waiting">{t('Password only')}</StatusWord>}
      </div>
      {!isMe && (
        <div className="flex gap-2">
          <RowButton label={t('Change role of {name}', { name: username })} needsServer onClick={change}>
            {t('Change role')}
          </RowButton>
          <RowButton label={t('Remove {name}', { name: username })} needsServer onClick={remove}>
            {t('Remove')}
          </RowButton>
        </div>
      )}
    </li>
  )
}

function Invitations({ invitations }: { invitations: readonly InvitationRow[] }) {
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: (id: string) => api(revokeInvitation, { params: { id } }),
    onSuccess: () => toast({ title: t('Invitation Withdrawn') }),
    onError: (error) => toastFailure(error, t('Not Withdrawn')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: administratorsQuery.queryKey }),
  })
  return (
    <>
      <h3 className="mt-4 text-14 font-strong text-ink-11">{t('Open invitations')}</h3>
      <ul aria-label={t('Open invitations')} className="mt-2 divide-y divide-ink-4 rounded-input border border-ink-5">
        {invitations.map(({ id, email, role, expiresAt }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-3.5 py-3 text-14">
            <div className="min-w-0 flex-1 basis-60">
              <p className="font-strong wrap-anywhere">{email}</p>
              <p className="text-ink-9">
                {t('{role}, until {time}', { role: translate(roleNames[role]), time: formatTime(expiresAt) })}
              </p>
            </div>
            <RowButton
              label={t('Withdraw invitation of {email}', { email })}
              needsServer
              isPending={revoke.isPending && revoke.variables === id}
              onClick={() => revoke.mutate(id)}
            >
              {t('Withdraw invitation')}
            </RowButton>
          </li>
        ))}
      </ul>
    </>
  )
}

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useDialogDraft('email: invite an administrator', '')
  const [role, setRole] = useState<AdminRole>('viewer')
  const isEmail = emailSchema.safeParse(email).success
  return (
    <ProvenDialog
      title={t('Invite an administrator')}
      description={t('We mail a link that works once, for three days, from an address on the IP list.')}
      action={t('Send invitation')}
      needsApproval
      isReady={isEmail}
      run={(proof) => api(inviteAdministrator, { body: { ...proof, email, role } })}
      success={{ title: t('Invitation Sent') }}
      changes={administratorsQuery.queryKey}
      failure={t('Not Sent')}
      onClose={onClose}
    >
      <TextField
        label={t('Email')}
        name="email"
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <RoleField value={role} onChange={setRole} />
    </ProvenDialog>
  )
}

function RoleDialog({ administrator: { id, username, role: before }, onClose }: Person) {
  const [role, setRole] = useState(before)
  return (
    <ProvenDialog
      title={t('Change the role of {name}', { name: username })}
      description={t('Now: {role}. No new login is needed.', { role: translate(roleNames[before]) })}
      action={t('Change role')}
      needsApproval
      isReady={role !== before}
      run={(proof) => api(changeAdministrator, { params: { id }, body: { ...proof, role, replaces: before } })}
      success={{ title: t('Role Changed') }}
      changes={administratorsQuery.queryKey}
      failure={t('Role Not Changed')}
      onClose={onClose}
    >
      <RoleField value={role} onChange={setRole} />
    </ProvenDialog>
  )
}

export function RemoveDialog({ administrator: { id, username }, onClose }: Person) {
  const [reason, setReason] = useDialogDraft(`reason: remove administrator ${id}`, '')
  return (
    <ProvenDialog
      title={t('Remove {name}?', { name: username })}
      description={t('They are logged out at once and can no longer log in. The audit log keeps the name.')}
      action={t('Remove administrator')}
      needsApproval
      isDangerous
      isReady={reason.trim() !== ''}
      run={(proof) => api(removeAdministrator, { params: { id }, body: { ...proof, reason: reason.trim() } })}
      success={{ title: t('Administrator Removed') }}
      changes={administratorsQuery.queryKey}
      failure={t('Not Removed')}
      onClose={onClose}
    >
      <ReasonField label={t('Reason')} value={reason} onChange={setReason} />
    </ProvenDialog>
  )
}

interface Person {
  administrator: AdministratorRow
  onClose: () => void
}
