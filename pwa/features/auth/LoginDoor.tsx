import { lazy, Suspense, useEffect } from 'react'
import { HumanVerificationDialog } from '../captcha/HumanVerificationDialog.tsx'
import { closeLogin, passVerification, useLoginDoor } from './loginDoor.ts'

const loadDialog = () => import('./LoginDialog.tsx')
const LoginDialog = lazy(async () => ({ default: (await loadDialog()).LoginDialog }))

/** Human Verification, then login and sign-up in a dialog over the page. */
export function LoginDoor() {
  const { isVerifying, captchaToken } = useLoginDoor()
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
