import { useEffect } from 'react'
import { settleCaptchaDemand, useCaptchaDemand } from './captchaDemand.ts'
import { HumanVerificationDialog } from './HumanVerificationDialog.tsx'

/** Opens while a call of `withCaptcha` waits for it. Rendered beside the forms that make such calls. */
export function DemandedVerification() {
  const isDemanded = useCaptchaDemand(({ settle }) => settle !== null)
  // Leaving the forms declines.
  useEffect(() => () => settleCaptchaDemand(false), [])
  return (
    <HumanVerificationDialog
      open={isDemanded}
      onClose={() => settleCaptchaDemand(false)}
      onVerified={() => settleCaptchaDemand(true)}
    />
  )
}
