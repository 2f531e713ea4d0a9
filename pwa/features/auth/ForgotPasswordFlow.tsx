import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { EmailStep } from './EmailStep.tsx'
import { useForgotPassword } from './queries.ts'
import { ResetPasswordStep } from './ResetPasswordStep.tsx'
import { useResendCountdown } from './useResendCountdown.ts'

interface ForgotPasswordFlowProps {
  /** The address typed at the login. */
  email: string
  onDone: (email: string) => void
  onBack: (email: string) => void
}

/** E-mail address, then the emailed code with a new password. */
export function ForgotPasswordFlow({ email: typed, onDone, onBack }: ForgotPasswordFlowProps) {
  const [email, setEmail] = useState(typed)
  const [isSent, setSent] = useState(false)
  const sendCode = useForgotPassword()
  const countdown = useResendCountdown()

  return (
    <div>
      <h3 className="mb-4 font-strong">{t('Forgot your password?')}</h3>
      {isSent ? (
        <ResetPasswordStep email={email} countdown={countdown} onDone={() => onDone(email)} onBack={() => setSent(false)} />
      ) : (
        <EmailStep
          email={email}
          hint={t("If this email has an account, we'll send it a 6-digit code.")}
          sendCode={sendCode}
          hasFocus
          onSent={(address) => {
            setEmail(address)
            countdown.start()
            setSent(true)
          }}
        />
      )}
      <TextButton className="mt-2" onClick={() => onBack(email)}>
        {t('Back to Login')}
      </TextButton>
    </div>
  )
}
