import { useState } from 'react'
import { EmailStep } from './EmailStep.tsx'
import { CodeStep } from './CodeStep.tsx'
import { PasswordStep } from './PasswordStep.tsx'
import { useResendCountdown } from './useResendCountdown.ts'

/** E-mail address, mailed code, password: one thing at a time. */
export function SignUpFlow({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState<'email' | 'code' | 'password'>('email')
  const [email, setEmail] = useState('')
  const countdown = useResendCountdown()

  if (step === 'email') {
    return (
      <EmailStep
        email={email}
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
