import { lazy, Suspense, useEffect } from 'react'
import { HumanVerificationDialog } from '../captcha/HumanVerificationDialog.tsx'
import { closeLogin, passVerification, useLoginStore } from './loginStore.ts'

const loadDialog = () => import('./LoginDialog.tsx')
const LoginDialog = lazy(async () => ({ default: (await loadDialog()).LoginDialog }))

/** Human Verification, then login and sign-up in a dialog over the page. */
export function LoginHost() {
  const { isVerifying, captchaToken } = useLoginStore()
  // Prefetches the forms during the verification.
  useEffect(() => void loadDialog().catch(() => undefined), [])
  return (
    <>
      <HumanVerificationDialog open={isVerifying} onClose={closeLogin} onVerified={passVerification} />
      {captchaToken !== null && (
        <Suspense fallback={null}>
          <LoginDialog />
        </Suspense>
      )}
    </>
  )
}
