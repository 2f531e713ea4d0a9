import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { verifyCaptcha } from '#shared/contract/captcha.ts'
import { ApiError } from '#shared/contract/client.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Spinner } from '#pwa/ui/Spinner.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { type CaptchaFailure, captchaFailures } from './captchaFailures.ts'
import type { CaptchaWidget } from './CaptchaWidget.ts'
import { loadWidget } from './loadWidget.ts'

interface HumanVerificationDialogProps {
  open: boolean
  /** Closed by the user, or because the server rejected the token. */
  onClose: () => void
  /** The server has verified the token and stores that in the session. */
  onVerified: (token: string) => void
  /** Shown below it: a way that needs no verification. */
  children?: ReactNode
}

export function HumanVerificationDialog({ open, onClose, onVerified, children }: HumanVerificationDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('Human Verification')}
      description={t('Please complete the verification below to continue')}
    >
      <Verification onClose={onClose} onVerified={onVerified} />
      {children && <div className="mt-4 empty:hidden">{children}</div>}
    </Dialog>
  )
}

/** Mounted while the dialog is open, so each opening starts fresh. */
function Verification({ onClose, onVerified }: Pick<HumanVerificationDialogProps, 'onClose' | 'onVerified'>) {
  const config = useQuery(configQuery)
  const captcha = config.data?.captcha
  const [Widget, setWidget] = useState<CaptchaWidget | null>(null)
  const [isReady, setReady] = useState(false)
  const [failure, setFailure] = useState<CaptchaFailure | null>(null)
  const [attempt, setAttempt] = useState(0)
  const verification = useMutation({
    mutationFn: (captchaToken: string) => api(verifyCaptcha, { body: { captchaToken } }),
    onSuccess: (_, token) => onVerified(token),
    onError: (error) => {
      if (!(error instanceof ApiError)) return setFailure('notLoaded')
      window.alert(translate(captchaFailures.notSolved))
      if (error.code === 'rate_limited')
        toast({ title: t('Please Wait'), description: errorText(error, t('Please try again later.')), destructive: true })
      onClose()
    },
  })

  useEffect(() => {
    if (!captcha) return
    let isGone = false
    loadWidget(captcha).then(
      (loaded) => !isGone && setWidget(() => loaded),
      () => !isGone && setFailure('notLoaded'),
    )
    return () => {
      isGone = true
    }
    // `attempt`: incremented by the retry button.
  }, [captcha, attempt])

  function tryAgain() {
    setFailure(null)
    setReady(false)
    setAttempt(attempt + 1)
    if (config.isError) void config.refetch()
  }

  const shownFailure = failure ?? (config.isError && !config.isFetching ? 'notLoaded' : null)
  if (shownFailure) {
    return (
      <Notice
        tone="error"
        title={translate(captchaFailures[shownFailure])}
        action={
          <Button variant="secondary" onClick={tryAgain}>
            {t('Try again')}
          </Button>
        }
      />
    )
  }
  return (
    <div className="relative min-h-18">
      {!isReady && (
        <p role="status" className="absolute inset-0 flex items-center justify-center gap-2 text-14 text-ink-10">
          <Spinner /> {t('Loading verification...')}
        </p>
      )}
      {Widget && captcha && (
        <div className={isReady ? undefined : 'invisible'}>
          <Widget
            key={attempt}
            captcha={captcha}
            onReady={() => setReady(true)}
            onToken={(token) => verification.mutate(token)}
            onFailed={setFailure}
          />
        </div>
      )}
    </div>
  )
}
