import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { CodeStep } from './CodeStep.tsx'
import { EmailStep } from './EmailStep.tsx'
import { PasswordStep } from './PasswordStep.tsx'
import { useSendCode } from './queries.ts'
import { useResendCountdown } from './useResendCountdown.ts'

/** E-mail address, mailed code, password: one thing at a time. */
export function SignUpFlow({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState<'email' | 'code' | 'password'>('email')
  const [email, setEmail] = useState('')
  const sendCode = useSendCode()
  const countdown = useResendCountdown()

  if (step === 'email') {
    return (
      <EmailStep
        email={email}
        hint={t('We send a 6-digit code to it.')}
        sendCode={sendCode}
        onSent={(address) => {
          setEmail(address)
          countdown.start()
          setStep('code')
        }}
      />
    )
  }
  if (step === 'code') {
    return <CodeStep email={email} countdown={countdown} onVerified={() => setStep('password')} onBack={() => setStep('email')} />
  }
  return <PasswordStep email={email} onDone={onDone} />
}
