import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { verifyOtp } from '#shared/contract/otp.ts'
import { oneTimeCode } from '#shared/oneTimeCode.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from './Button.tsx'
import { CodeBoxes, type CodeBoxesHandle, noDigits } from './CodeBoxes.tsx'
import { Dialog } from './Dialog.tsx'
import { toast } from './toast.ts'

/** Long enough for the dialog to stand before the keyboard of a phone comes up. */
const FOCUS_DELAY = 100

interface OneTimeCodeDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: string
  /** Called once the server has accepted a code. The dialog closes after it; a toast fired in it takes the place of ours. */
  onVerified: () => void
  /** What a code is sent to: the step-up check of `/api/auth/otp/verify` unless told otherwise. */
  verify?: (token: string) => Promise<unknown>
}

/** Asks for the authenticator code. What it sets is a mark on the server; the dialog alone authorises nothing. */
export function OneTimeCodeDialog({
  open,
  onOpenChange,
  title,
  description,
  onVerified,
  verify = verifyStepUp,
}: OneTimeCodeDialogProps) {
  const [digits, setDigits] = useState<readonly string[]>(noDigits)
  const boxes = useRef<CodeBoxesHandle>(null)
  const verification = useMutation({
    mutationFn: verify,
    onSuccess: () => {
      toast({ title: 'Verification Successful', description: 'OTP verification completed successfully.' })
      onVerified()
      onOpenChange(false)
      setDigits(noDigits)
    },
    onError: (error) => {
      setDigits(noDigits)
      if (isUnauthorized(error)) return
      toast({
        title: 'Verification Failed',
        description: errorText(error, 'Invalid OTP code. Please try again.'),
        destructive: true,
      })
    },
  })

  const { isPending, isError } = verification
  useEffect(() => {
    // The boxes were disabled while the code was checked: only now can the first one take the focus back.
    if (isError && !isPending) boxes.current?.focusFirst()
  }, [isError, isPending])

  useEffect(() => {
    if (!open) return
    const timer = setTimeout(() => boxes.current?.focusFirst(), FOCUS_DELAY)
    return () => clearTimeout(timer)
  }, [open])

  function submit(code: string) {
    if (isPending) return
    if (!oneTimeCode.safeParse(code).success) {
      toast({ title: 'Invalid Code', description: 'Please enter all 6 digits.', destructive: true })
      return
    }
    verification.mutate(code)
  }

  const code = digits.join('')
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => {
        if (!isOpen) setDigits(noDigits)
        onOpenChange(isOpen)
      }}
      title={title}
      description={description}
      onOpenAutoFocus={(event) => event.preventDefault()}
      actions={
        <>
          <Button
            variant="secondary"
            onClick={() => {
              setDigits(noDigits)
              onOpenChange(false)
            }}
          >
            Cancel
          </Button>
          <Button onClick={() => submit(code)} isPending={isPending} pendingLabel="Verifying..." disabled={code.length !== 6}>
            Verify Code
          </Button>
        </>
      }
    >
      <CodeBoxes
        ref={boxes}
        label="Authenticator code"
        digits={digits}
        onDigitsChange={setDigits}
        onComplete={submit}
        disabled={isPending}
      />
      <p className="mt-4 text-14 text-ink-9">
        The code is in your authenticator app and changes every 30 seconds. No app yet? Get Google Authenticator from the App
        Store or Google Play.
      </p>
    </Dialog>
  )
}

const verifyStepUp = (token: string) => api(verifyOtp, { body: { token } })
