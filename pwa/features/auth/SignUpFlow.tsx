import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CodeStep } from './CodeStep.tsx'
import { EmailStep } from './EmailStep.tsx'
import { PasswordStep } from './PasswordStep.tsx'
import { useSendCode } from './queries.ts'
import { clearSignUp, storeSignUp, useSignUpProgress } from './signUpProgress.ts'
import { useResendCountdown } from './useResendCountdown.ts'

/**
 * Sign-up in three steps: e-mail address, emailed code, password. It always opens at the address, which leads back to a code that
 * was already sent, by a button or by entering the same address again.
 */
export function SignUpFlow({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState<'email' | 'code' | 'password'>('email')
  const [isBack, setBack] = useState(false)
  const progress = useSignUpProgress()
  const [email, setEmail] = useState(progress?.email ?? '')
  const sendCode = useSendCode()
  const countdown = useResendCountdown(progress?.resendAt)

  if (step === 'email') {
    return (
      <div className="flex flex-col gap-3">
        <EmailStep
          email={email}
          hint={t("We'll send a 6-digit code to this address.")}
          sendCode={sendCode}
          hasFocus={isBack}
          onSent={(address, secondsLeft) => {
            const resendAt = countdown.start(secondsLeft)
            setEmail(address)
            // The code of this address is already verified: the next step is the password.
            const next = progress?.email === address && secondsLeft !== undefined ? progress.step : 'code'
            storeSignUp({ email: address, step: next, resendAt })
            setStep(next)
          }}
        />
        {progress && (
          <Button
            variant="secondary"
            isWide
            onClick={() => {
              setEmail(progress.email)
              setStep(progress.step)
            }}
          >
            {progress.step === 'code'
              ? t('Enter the code for {email}', { email: progress.email })
              : t('Set the password for {email}', { email: progress.email })}
          </Button>
        )}
      </div>
    )
  }
  if (step === 'code') {
    return (
      <CodeStep
        email={email}
        countdown={countdown}
        onVerified={() => {
          storeSignUp({ email, step: 'password', resendAt: 0 })
          setStep('password')
        }}
        onBack={() => {
          setBack(true)
          setStep('email')
        }}
      />
    )
  }
  return (
    <PasswordStep
      email={email}
      onDone={() => {
        clearSignUp()
        onDone()
      }}
    />
  )
}
