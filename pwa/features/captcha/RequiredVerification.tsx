import { useEffect } from 'react'
import { settlePendingCaptcha, usePendingCaptcha } from './pendingCaptcha.ts'
import { HumanVerificationDialog } from './HumanVerificationDialog.tsx'

/** Opens while a call of `withCaptcha` waits for it. Rendered beside the forms that make such calls. */
export function RequiredVerification() {
  const isRequired = usePendingCaptcha(({ settle }) => settle !== null)
  // Leaving the forms declines.
  useEffect(() => () => settlePendingCaptcha(false), [])
  return (
    <HumanVerificationDialog
      open={isRequired}
      onClose={() => settlePendingCaptcha(false)}
      onVerified={() => settlePendingCaptcha(true)}
    />
  )
}
