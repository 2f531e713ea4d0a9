import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { shorten } from '#shared/address.ts'
import { type AdminUserRow, getXcrDetails, resetUserPassword } from '#shared/contract/admin/users.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Badge } from '#pwa/ui/Badge.tsx'
import { useMayCall } from '../useMayCall.ts'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { RowButton } from '../lists/RowButton.tsx'
import { PersonLink } from '../person/PersonLink.tsx'
import { toastFailure } from '../toastFailure.ts'
import { formatDayIn, nameZone } from '../zone/officeZone.ts'
import { XcrDetailsDialog } from './XcrDetailsDialog.tsx'

interface UserTableProps {
  users: readonly AdminUserRow[]
  isBusy: boolean
  zone: string
  onReset: (user: AdminUserRow) => void
  onThaw: (user: AdminUserRow) => void
}

export function UserTable({ users, isBusy, zone, onReset, onThaw }: UserTableProps) {
  const [shown, setShown] = useState<{ email: string; details: Output<typeof getXcrDetails> } | null>(null)
  const details = useMutation({
    mutationFn: ({ id }: AdminUserRow) => api(getXcrDetails, { params: { id } }),
    onSuccess: (answer, { email }) => setShown({ email, details: answer }),
    onError: (error) => toastFailure(error, t('failed to fetch XCR information')),
  })

  const mayReset = useMayCall()(resetUserPassword)

  const actions: Column<AdminUserRow> = {
    name: t('Actions'),
    isWide: true,
    isRight: true,
    cell: (user) => (
      <div className="flex justify-end gap-1.5 max-md:flex-wrap">
        {user.frozen && (
          <RowButton label={t('Thaw account of {email}', { email: user.email })} onClick={() => onThaw(user)}>
            {t('Thaw')}
          </RowButton>
        )}
        <RowButton
          label={t('XCR details of {email}', { email: user.email })}
          onClick={() => details.mutate(user)}
          isPending={details.isPending && details.variables.id === user.id}
          disabled={details.isPending && details.variables.id !== user.id}
        >
          {t('XCR details')}
        </RowButton>
        {mayReset && (
          <RowButton label={t('Reset password of {email}', { email: user.email })} onClick={() => onReset(user)}>
            {t('Reset password')}
          </RowButton>
        )}
      </div>
    ),
  }
  return (
    <>
      <DataTable label={t('Users')} columns={[...columns(zone), actions]} rows={users} keyOf={({ id }) => id} isBusy={isBusy} />
      <XcrDetailsDialog shown={shown} onClose={() => setShown(null)} />
    </>
  )
}

const columns = (zone: string): readonly Column<AdminUserRow>[] => [
  {
    name: t('Email'),
    isWide: true,
    className: 'md:max-w-56 lg:w-full',
    cell: ({ id, email }) => <PersonLink id={id} email={email} />,
  },
  {
    name: t('Wallet address'),
    className: 'whitespace-nowrap',
    cell: ({ walletAddress }) =>
      walletAddress ? (
        <span translate="no" className="font-mono text-ink-10 md:text-12" title={walletAddress}>
          {shorten(walletAddress)}
        </span>
      ) : (
        <span className="text-ink-9">{t('not registered')}</span>
      ),
  },
  { name: t('Nodes'), isRight: true, cell: ({ totalNodes }) => <span className="figures">{formatCount(totalNodes)}</span> },
  { name: t('Available XCR'), isRight: true, cell: ({ availableXcr }) => <Xcr value={availableXcr} /> },
  { name: t('Total earned XCR'), isRight: true, cell: ({ totalEarnedXcr }) => <Xcr value={totalEarnedXcr} /> },
  {
    name: t('Role'),
    cell: ({ isAdmin, frozen }) => (
      <span className="inline-flex gap-1 md:flex-col md:items-start">
        {isAdmin ? <Badge tone="accent">{t('ADMIN')}</Badge> : <Badge>{t('GENERAL')}</Badge>}
        {frozen && <Badge tone="waiting">{t('FROZEN')}</Badge>}
      </span>
    ),
  },
  {
    name: t('Signed up ({zone})', { zone: nameZone(zone) }),
    className: 'whitespace-nowrap',
    cell: ({ createdAt }) => (
      <time dateTime={createdAt.toISOString()} className="figures text-ink-10">
        {formatDayIn(createdAt, zone)}
      </time>
    ),
  },
]

const Xcr = ({ value }: { value: bigint }) => (
  <Amount value={value} size={14} minDecimals={2} maxDecimals={2} className="whitespace-nowrap" />
)
