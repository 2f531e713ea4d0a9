import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { otpStatusQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { DisableOtpForm } from './DisableOtpForm.tsx'
import { EnableOtpForm } from './EnableOtpForm.tsx'
import { type OtpSetup, useSetupOtp } from './queries.ts'

/** The dialog closes by itself this long after the authenticator was enabled. */
const AUTO_CLOSE_DELAY = 1_500

interface OtpSetupDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Called after the dialog has closed by itself: the account now has an authenticator. */
  onEnabled?: () => void
}

/** Status of the authenticator, and the way to switch it on and off. */
export function OtpSetupDialog({ open, onOpenChange, onEnabled }: OtpSetupDialogProps) {
  const { data } = useQuery({ ...otpStatusQuery, enabled: open })
  const [setup, setSetup] = useState<OtpSetup | null>(null)
  const [isDone, setDone] = useState(false)
  const setupOtp = useSetupOtp()

  function change(isOpen: boolean) {
    if (!isOpen) {
      setSetup(null)
      setDone(false)
    }
    onOpenChange(isOpen)
  }

  function startSetup() {
    setupOtp.mutate(undefined, {
      onSuccess: setSetup,
      onError: () => toast({ title: 'Setup Failed', description: 'Failed to generate OTP setup data.', destructive: true }),
    })
  }

  function finish() {
    setDone(true)
    setTimeout(() => {
      change(false)
      onEnabled?.()
    }, AUTO_CLOSE_DELAY)
  }

  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title="Security Settings"
      description="Two-factor authentication with an authenticator app."
    >
      {isDone && <DoneView />}
      {!isDone && setup && <EnableOtpForm setup={setup} onBack={() => setSetup(null)} onEnabled={finish} />}
      {!isDone && !setup && (
        <div className="flex flex-col gap-5">
          <div className="flex items-center justify-between rounded-input border border-ink-5 bg-ink-2 px-4 py-3">
            <span className="text-14 text-ink-10">OTP Authentication</span>
            {data?.otpEnabled ? <StatusWord tone="done">Enabled</StatusWord> : <StatusWord tone="waiting">Disabled</StatusWord>}
          </div>
          {data?.otpEnabled ? (
            <DisableOtpForm onDisabled={() => change(false)} />
          ) : (
            <>
              <p className="text-14 text-ink-10">
                You need an authenticator app on your phone, such as Google Authenticator. Setting it up takes a minute.
              </p>
              <Button isWide onClick={startSetup} isPending={setupOtp.isPending} pendingLabel="Preparing...">
                Enable OTP Authentication
              </Button>
            </>
          )}
        </div>
      )}
    </Dialog>
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
      <p className="font-strong">Your authenticator is on.</p>
    </div>
  )
}
