import { Suspense, useEffect } from 'react'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { HumanVerificationDialog } from '../captcha/HumanVerificationDialog.tsx'
import { PasskeyLogin } from './PasskeyLogin.tsx'
import { closeLogin, passVerification, useLoginStore } from './loginStore.ts'

const LoginDialog = lazyPart(async () => (await import('./LoginDialog.tsx')).LoginDialog)

/** Human Verification, then login and sign-up in a dialog over the page. */
export function LoginHost() {
  const { isVerifying, captchaToken } = useLoginStore()
  // Prefetches the forms during the verification.
  useEffect(() => void LoginDialog.preload().catch(() => undefined), [])
  return (
    <>
      <HumanVerificationDialog open={isVerifying} onClose={closeLogin} onVerified={passVerification}>
        <PasskeyLogin onDone={closeLogin} />
      </HumanVerificationDialog>
      {captchaToken !== null && (
        <Suspense fallback={null}>
          <LoginDialog />
        </Suspense>
      )}
    </>
  )
}
