import { useState } from 'react'
import { ForgotPasswordFlow } from './ForgotPasswordFlow.tsx'
import { LoginForm } from './LoginForm.tsx'

/** The login form, and the flow for a forgotten password. */
export function LoginTab({ onDone }: { onDone: () => void }) {
  const [isForgotten, setForgotten] = useState(false)
  const [email, setEmail] = useState('')

  function backToLogin(address: string) {
    setEmail(address)
    setForgotten(false)
  }

  if (isForgotten) return <ForgotPasswordFlow email={email} onDone={backToLogin} onBack={backToLogin} />
  return (
    <LoginForm
      email={email}
      onDone={onDone}
      onForgotten={(address) => {
        setEmail(address)
        setForgotten(true)
      }}
    />
  )
}
