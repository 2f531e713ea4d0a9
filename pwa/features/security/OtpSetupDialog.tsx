import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { t } from '#pwa/i18n/t.ts'
import { otpStatusQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { DisableOtpForm } from './DisableOtpForm.tsx'
import { EnableOtpForm } from './EnableOtpForm.tsx'
import { type OtpSetup, useEnableOtp, useSetupOtp } from './queries.ts'
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx'

/** Time until the dialog closes by itself after the authenticator was enabled. */
const AUTO_CLOSE_DELAY = 1_500

interface OtpSetupDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Called once the authenticator is enabled and its recovery codes are saved. */
  onEnabled?: () => void
}

type View =
  | { at: 'status' }
  | { at: 'setup'; setup: OtpSetup }
  /** The answer was lost: it may be enabled. */
  | { at: 'unanswered' }
  | { at: 'done'; recoveryCodes: string[] }
  /** This dialog is closed and the recovery codes are shown in their own. */
  | { at: 'recoveryCodes'; recoveryCodes: string[] }

const status: View = { at: 'status' }

/** The authenticator's status, and the forms that enable and disable it. */
export function OtpSetupDialog({ open, onOpenChange, onEnabled }: OtpSetupDialogProps) {
  const [view, setView] = useState<View>(status)
  const setupOtp = useSetupOtp()
  const enable = useEnableOtp()
  const queryClient = useQueryClient()

  function close() {
    // The user closed it before the timer did: the codes must still be shown.
    if (view.at === 'done') return showCodes(view.recoveryCodes)
    // Not before: once it is enabled the session is another, so the refetch may end on the login page.
    if (view.at === 'unanswered') void queryClient.invalidateQueries({ queryKey: otpStatusQuery.queryKey })
    setView(status)
    onOpenChange(false)
  }

  function showCodes(recoveryCodes: string[]) {
    if (recoveryCodes.length > 0) setView({ at: 'recoveryCodes', recoveryCodes })
    else finish()
  }

  function finish() {
    setView(status)
    onOpenChange(false)
    onEnabled?.()
  }

  const closeByItself = useEffectEvent(close)
  useEffect(() => {
    if (view.at !== 'done') return
    const timer = setTimeout(closeByItself, AUTO_CLOSE_DELAY)
    return () => clearTimeout(timer)
  }, [view.at])

  function startSetup() {
    setupOtp.mutate(undefined, {
      onSuccess: (setup) => setView({ at: 'setup', setup }),
      onError: (error) => {
        if (isUnauthorized(error)) return
        toast({ title: t('Setup Failed'), description: t('Failed to generate OTP setup data.'), destructive: true })
      },
    })
  }

  return (
    <>
      <Dialog
        open={open && view.at !== 'recoveryCodes'}
        onOpenChange={(isOpen) => !isOpen && close()}
        isHeld={enable.isPending}
        title={t('Security Settings')}
        description={t('Two-factor authentication with an authenticator app.')}
      >
        {view.at === 'done' && <DoneView />}
        {view.at === 'setup' && (
          <EnableOtpForm
            setup={view.setup}
            enable={enable}
            onBack={() => setView(status)}
            onEnabled={(recoveryCodes) => setView({ at: 'done', recoveryCodes })}
            onUnanswered={() => setView({ at: 'unanswered' })}
          />
        )}
        {view.at === 'unanswered' && <UnansweredView onCheck={close} />}
        {view.at === 'status' && <StatusView onSetup={startSetup} isPending={setupOtp.isPending} onDisabled={close} />}
      </Dialog>
      <RecoveryCodesDialog codes={open && view.at === 'recoveryCodes' ? view.recoveryCodes : null} onSaved={finish} />
    </>
  )
}

function StatusView({ onSetup, isPending, onDisabled }: { onSetup: () => void; isPending: boolean; onDisabled: () => void }) {
  const { data, error, refetch } = useQuery(otpStatusQuery)
  if (error) {
    return (
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
    )
  }
  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-center justify-between rounded-input border border-ink-5 bg-ink-2 px-4 py-3">
        <span className="text-14 text-ink-10">{t('OTP Authentication')}</span>
        {!data && <Skeleton className="h-5 w-20" />}
        {data?.otpEnabled === true && <StatusWord tone="done">{t('Enabled')}</StatusWord>}
        {data?.otpEnabled === false && <StatusWord tone="waiting">{t('Disabled')}</StatusWord>}
      </div>
      {data?.otpEnabled === true && <DisableOtpForm onDisabled={onDisabled} />}
      {data?.otpEnabled === false && (
        <>
          <p className="text-14 text-ink-10">
            {t('You need an authenticator app on your phone, such as Google Authenticator. Setting it up takes a minute.')}
          </p>
          <Button isWide needsServer onClick={onSetup} isPending={isPending} pendingLabel={t('Preparing...')}>
            {t('Enable OTP Authentication')}
          </Button>
        </>
      )}
    </div>
  )
}

function UnansweredView({ onCheck }: { onCheck: () => void }) {
  return (
    <Notice
      tone="error"
      title={t('No answer from the server')}
      action={
        <Button variant="secondary" needsServer onClick={onCheck}>
          {t('Check now')}
        </Button>
      }
    >
      {t(
        'Your authenticator may be on. Keep its entry in your app. If it is on, generate new recovery codes: the old ones may no longer work. You may have to log in again.',
      )}
    </Notice>
  )
}

function DoneView() {
  return (
    <div role="status" className="flex flex-col items-center py-8 text-center">
      <svg width="56" height="56" viewBox="0 0 56 56" aria-hidden className="mb-4 text-green">
        <circle cx="28" cy="28" r="26" fill="none" stroke="currentColor" strokeWidth="2" />
        <path
          d="m18 29 7 7 13-15"
          fill="none"
          stroke="currentColor"
          strokeWidth="2.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <p className="font-strong">{t('Your authenticator is on.')}</p>
    </div>
  )
}
