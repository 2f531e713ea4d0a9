import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Person } from '#shared/contract/admin/person.ts'
import { assignBonus } from '#shared/contract/admin/bonus.ts'
import { freezeUser, getXcrDetails, resetUserPassword, thawUser } from '#shared/contract/admin/users.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Badge } from '#pwa/ui/Badge.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { formatDayIn, formatTime, nameZone, zoneOf } from '../zone/officeZone.ts'
import { ProposedChange } from '../proposals/ProposedChange.tsx'
import { useMayCall } from '../useMayCall.ts'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { toastFailure } from '../toastFailure.ts'
import { FreezeUser } from '../users/FreezeUser.tsx'
import { ResetPassword } from '../users/ResetPassword.tsx'
import { ThawUser } from '../users/ThawUser.tsx'
import { XcrDetailsDialog } from '../users/XcrDetailsDialog.tsx'
import { AuthenticatorRemoval } from './AuthenticatorRemoval.tsx'
import { GrantBonusDialog } from './GrantBonusDialog.tsx'

interface PersonHeaderProps {
  person: Person
  isFetching: boolean
  onRefresh: () => void
}

/** Who it is, and what can be done. */
export function PersonHeader({ person, isFetching, onRefresh }: PersonHeaderProps) {
  const { id, email, isAdmin, frozen, heldUntil, language, createdAt } = person
  const [asked, setAsked] = useState<'reset' | 'freeze' | 'thaw' | 'bonus' | null>(null)
  const [shown, setShown] = useState<{ email: string; details: Output<typeof getXcrDetails> } | null>(null)
  const details = useMutation({
    mutationFn: () => api(getXcrDetails, { params: { id } }),
    onSuccess: (answer) => setShown({ email, details: answer }),
    onError: (error) => toastFailure(error, t('failed to fetch XCR information')),
  })
  const close = () => setAsked(null)
  const mayCall = useMayCall()
  const zone = zoneOf()
  return (
    <header className="mb-6">
      <div className="flex items-start justify-between gap-2">
        <h1 className="flex min-w-0 items-center gap-1 text-20 font-strong desk:text-28">
          <span translate="no" className="min-w-0 wrap-anywhere">
            {/* A long one breaks before its @. */}
            {email.slice(0, email.lastIndexOf('@'))}
            <wbr />
            {email.slice(email.lastIndexOf('@'))}
          </span>
          <CopyButton value={email} what={t('email address')} />
        </h1>
        <RefreshButton what={t('the account')} isFetching={isFetching} onRefresh={onRefresh} />
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-14 text-ink-10">
        <ShortId id={id} what={t('user ID')} isTimed />
        <span className="figures">
          {t('Signed up {date} ({zone})', { date: formatDayIn(createdAt, zone), zone: nameZone(zone) })}
        </span>
        <span>{language === 'ko' ? t('Mails in Korean') : t('Mails in English')}</span>
        {isAdmin && <Badge tone="accent">{t('ADMIN')}</Badge>}
        {frozen && <Badge tone="waiting">{t('FROZEN')}</Badge>}
        {heldUntil && (
          <span className="text-amber">{t('Withdrawals on hold until {time}', { time: formatTime(heldUntil) })}</span>
        )}
      </div>
      <div className="mt-2 empty:hidden">
        <ProposedChange actions={['otp.reset']} target={email} />
        <ProposedChange actions={['bonus.assign']} target={`user:${email}`} />
      </div>
      {person.authenticator.resetsAt && (
        <p className="mt-1 text-14 text-amber">
          {t('The authenticator is removed on {time}', { time: formatTime(person.authenticator.resetsAt) })}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2 max-sm:*:flex-1 max-sm:*:whitespace-nowrap">
        {mayCall(resetUserPassword) && (
          <Button variant="secondary" onClick={() => setAsked('reset')}>
            {t('Reset password')}
          </Button>
        )}
        <AuthenticatorRemoval person={person} />
        {/* A frozen one is frozen again to cancel its planned thaw. */}
        {(!frozen || frozen.thawsAt) && mayCall(freezeUser) && (
          <Button variant="secondary" onClick={() => setAsked('freeze')}>
            {t('Freeze account')}
          </Button>
        )}
        {frozen && mayCall(thawUser) && (
          <Button variant="secondary" onClick={() => setAsked('thaw')}>
            {t('Thaw account')}
          </Button>
        )}
        {mayCall(assignBonus) && (
          <Button variant="secondary" onClick={() => setAsked('bonus')}>
            {t('Grant bonus')}
          </Button>
        )}
        <Button variant="secondary" onClick={() => details.mutate()} isPending={details.isPending}>
          {t('XCR details')}
        </Button>
      </div>
      <ResetPassword user={asked === 'reset' ? person : null} onClose={close} />
      {asked === 'freeze' && <FreezeUser user={person} onClose={close} />}
      {asked === 'thaw' && <ThawUser user={person} onClose={close} />}
      {asked === 'bonus' && <GrantBonusDialog person={person} onClose={close} />}
      <XcrDetailsDialog shown={shown} onClose={() => setShown(null)} />
    </header>
  )
}
