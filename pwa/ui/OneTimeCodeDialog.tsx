import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { verifyOtp } from '#shared/contract/otp.ts'
import { oneTimeCode, readRecoveryCode } from '#shared/oneTimeCode.ts'
import { msg, t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { otpStatusQuery } from '#pwa/lib/queries.ts'
import { Button } from './Button.tsx'
import { CodeBoxes, type CodeBoxesHandle, noDigits } from './CodeBoxes.tsx'
import { Dialog } from './Dialog.tsx'
import { RecoveryCodeField } from './RecoveryCodeField.tsx'
import { TextButton } from './TextButton.tsx'
import { toast } from './toast.ts'

/** Delay before the focus, so that the dialog has opened before a phone's keyboard appears. */
const FOCUS_DELAY = 100

const usedUp = msg('No answer from the server. The code may be used up. Enter the next one.')

interface OneTimeCodeDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: string
  /** Called after the server accepted a code. The dialog then closes; a toast shown here replaces the dialog's own. */
  onVerified: () => void
  /** Verifies the code instead of the step-up check of `/api/auth/otp/verify`. Recovery codes are offered only for that check. */
  verify?: (token: string) => Promise<unknown>
}

/** Asks for the authenticator code. The server stores the step-up mark; the dialog alone authorizes nothing. */
export function OneTimeCodeDialog({ open, onOpenChange, title, description, onVerified, verify }: OneTimeCodeDialogProps) {
  const queryClient = useQueryClient()
  const [digits, setDigits] = useState<readonly string[]>(noDigits)
  const [recoveryCode, setRecoveryCode] = useState<string | null>(null)
  const boxes = useRef<CodeBoxesHandle>(null)
  const recoveryField = useRef<HTMLInputElement>(null)
  const formId = useId()
  // A ref, because autofill and Enter may submit the same code before the next render.
  const isSent = useRef(false)
  // Closing the dialog ends the attempt: what its answer would start was cancelled.
  const attempt = useRef(0)
  const isRecovery = recoveryCode !== null

  function clear() {
    setDigits(noDigits)
    if (isRecovery) setRecoveryCode('')
  }

  function change(isOpen: boolean) {
    if (!isOpen) {
      setDigits(noDigits)
      setRecoveryCode(null)
      verification.reset()
    }
    onOpenChange(isOpen)
  }

  function switchKind() {
    setDigits(noDigits)
    setRecoveryCode(isRecovery ? null : '')
    verification.reset()
  }

  const verification = useMutation({
    mutationFn: verify ?? verifyStepUp,
    onMutate: () => attempt.current,
    onSuccess: (_answer, _token, sentIn) => {
      if (isRecovery) void queryClient.invalidateQueries({ queryKey: otpStatusQuery.queryKey })
      if (sentIn !== attempt.current) return
      toast({ title: t('Verification Successful'), description: t('OTP verification completed successfully.') })
      onVerified()
      change(false)
    },
    onError: (error, _token, sentIn) => {
      if (sentIn !== attempt.current) return
      clear()
      if (isUnauthorized(error)) return
      toast({
        title: failureTitle(error, t('Verification Failed')),
        description: errorText(error, t('Invalid OTP code. Please try again.'), usedUp),
        destructive: true,
      })
    },
    onSettled: (_answer, _error, _token, sentIn) => {
      if (sentIn === attempt.current) isSent.current = false
    },
  })

  useEffect(
    () => () => {
      attempt.current++
      isSent.current = false
    },
    [open],
  )

  const { isPending, isError } = verification
  useEffect(() => {
    // The boxes were disabled during the check, so the focus can return only now.
    if (!isError || isPending) return
    boxes.current?.focusFirst()
    recoveryField.current?.focus()
  }, [isError, isPending])

  useEffect(() => {
    if (!open || isRecovery) return
    const timer = setTimeout(() => {
      // Digits that are typed already would otherwise be overwritten by the next ones.
      if (!boxes.current?.hasFocus()) boxes.current?.focusFirst()
    }, FOCUS_DELAY)
    return () => clearTimeout(timer)
  }, [open, isRecovery])

  function submit(token: string | undefined) {
    if (isSent.current) return
    if (!token) {
      const description = t(isRecovery ? 'Please enter one of your recovery codes.' : 'Please enter all 6 digits.')
      toast({ title: t('Invalid Code'), description, destructive: true })
      return
    }
    isSent.current = true
    verification.mutate(token)
  }

  const token = isRecovery ? readRecoveryCode(recoveryCode) : oneTimeCode.safeParse(digits.join('')).data
  const isInvalid = isError && !digits.some(Boolean) && !recoveryCode
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={title}
      description={description}
      onOpenAutoFocus={(event) => event.preventDefault()}
      actions={
        <>
          <Button variant="secondary" onClick={() => change(false)}>
            {t('Cancel')}
          </Button>
          <Button type="submit" form={formId} isPending={isPending} pendingLabel={t('Verifying...')} disabled={!token}>
            {t('Verify Code')}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          submit(token)
        }}
      >
        {isRecovery ? (
          <RecoveryCodeField
            ref={recoveryField}
            value={recoveryCode}
            onChange={setRecoveryCode}
            disabled={isPending}
            aria-invalid={isInvalid || undefined}
            autoFocus
          />
        ) : (
          <>
            <CodeBoxes
              ref={boxes}
              label={t('Authenticator code')}
              digits={digits}
              onDigitsChange={setDigits}
              onComplete={(code) => submit(oneTimeCode.safeParse(code).data)}
              disabled={isPending}
              isInvalid={isInvalid}
            />
            <p className="mt-4 text-14 text-ink-9">
              {t(
                'The code is in your authenticator app and changes every 30 seconds. No app yet? Get Google Authenticator from the App Store or Google Play.',
              )}
            </p>
          </>
        )}
        {!verify && (
          <TextButton className="mt-1" disabled={isPending} onClick={switchKind}>
            {t(isRecovery ? 'Use the authenticator code' : 'Use a recovery code')}
          </TextButton>
        )}
      </form>
    </Dialog>
  )
}

const verifyStepUp = (token: string) => api(verifyOtp, { body: { token } })
