import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from '#pwa/ui/icons.ts'
import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { authUserQuery, otpStatusQuery } from '#pwa/lib/queries.ts'
import { AccountError } from '#pwa/ui/AccountError.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { LoginRequired } from '#pwa/ui/LoginRequired.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { FreezeCard } from '../freeze/FreezeCard.tsx'
import { FrozenNotice } from '../freeze/FrozenNotice.tsx'
import { PasskeysCard } from './PasskeysCard.tsx'
import { ChangePasswordCard } from './ChangePasswordCard.tsx'
import { DailyLimitCard } from './DailyLimitCard.tsx'
import { OtpSetupDialog } from './OtpSetupDialog.tsx'
import { PlannedRemoval } from './PlannedRemoval.tsx'
import { ProofKeyCard } from './ProofKeyCard.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { SessionsCard } from './SessionsCard.tsx'

/** Everything that protects an account, one card each. */
export function SecurityPage() {
  const { data: user, isPending } = useQuery(authUserQuery)
  return (
    <Page title={t('Security Settings')} isNarrow lead={t('Keep your account and nodes safe.')}>
      <AccountError />
      {isPending && <Skeleton className="h-40 rounded-card" />}
      {user === null && <LoginRequired>{t('Please log in to access security settings.')}</LoginRequired>}
      {user && (
        <div className="flex flex-col gap-4">
          <FrozenNotice />
          <AuthenticatorCard />
          <PasskeysCard />
          <ChangePasswordCard />
          <DailyLimitCard />
          <SessionsCard />
          <ProofKeyCard />
          <FreezeCard />
          <SecurityTips />
        </div>
      )}
    </Page>
  )
}

function AuthenticatorCard() {
  const { data, error, refetch } = useQuery(otpStatusQuery)
  const [isOpen, setOpen] = useState(false)
  const isEnabled = data?.otpEnabled

  return (
    <Card>
      <div className="flex items-start gap-4 tiny:gap-2">
        <span className="grid size-11 shrink-0 place-items-center rounded-input bg-ink-3 text-ink-10">
          <ShieldCheck size={20} aria-hidden />
        </span>
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <h2 className="font-strong">{t('Authenticator App')}</h2>
            {isEnabled === undefined && !error && <Skeleton className="h-5 w-20" />}
            {isEnabled === true && <StatusWord tone="done">{t('Enabled')}</StatusWord>}
            {isEnabled === false && <StatusWord tone="waiting">{t('Disabled')}</StatusWord>}
          </div>
          <p className="mt-1 text-14 text-ink-10">
            {t('A 6-digit code from your phone, required for every node purchase and XCR withdrawal.')}
          </p>
        </div>
      </div>
      {data?.resetsAt && <PlannedRemoval resetsAt={data.resetsAt} />}
      {error ? (
        <div className="mt-4">
          <Notice
            tone="error"
            title={t("Couldn't load the status")}
            action={
              <Button variant="secondary" onClick={() => void refetch()}>
                {t('Try again')}
              </Button>
            }
          >
            {t('Only reading it failed. This changes nothing about your authenticator.')}
          </Notice>
        </div>
      ) : (
        <Button
          variant={isEnabled ? 'secondary' : 'primary'}
          className="mt-5 w-full desk:w-auto"
          disabled={isEnabled === undefined}
          onClick={() => setOpen(true)}
        >
          {t(isEnabled ? 'Manage OTP' : 'Setup OTP')}
        </Button>
      )}
      {data?.otpEnabled && <RecoveryCodes left={data.recoveryCodesLeft} />}
      <OtpSetupDialog open={isOpen} onOpenChange={setOpen} />
    </Card>
  )
}

function SecurityTips() {
  return (
    <Card>
      <h2 className="mb-3 font-strong">{t('Security Tips')}</h2>
      <ul className="list-disc space-y-2 pl-5 text-14 text-ink-10 marker:text-ink-7">
        <li>{t("Use a password you don't use anywhere else.")}</li>
        <li>{t('Keep your recovery codes somewhere private, not on the phone with your authenticator.')}</li>
        <li>{t("We never ask for your wallet's recovery phrase, your password or a code by email, phone or chat.")}</li>
        <li>{t('Check the address in your browser before you log in or pay.')}</li>
      </ul>
    </Card>
  )
}
