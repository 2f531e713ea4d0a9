import { useState } from 'react'
import { translate } from '#pwa/i18n/t.ts'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { HumanVerificationDialog } from '../captcha/HumanVerificationDialog.tsx'
import { AuthForms, type AuthTab, authHeadings } from './AuthForms.tsx'
import { closeLogin, passVerification, useLoginDoor } from './loginDoor.ts'
import { useGo } from '#pwa/lib/useGo.ts'

/** Human Verification, then login and sign-up in a dialog over the page. */
export function LoginDoor() {
  const { isVerifying, captchaToken } = useLoginDoor()
  return (
    <>
      <HumanVerificationDialog open={isVerifying} onClose={closeLogin} onVerified={passVerification} />
      {captchaToken !== null && <LoginDialog />}
    </>
  )
}

/** Its forms and its tab live as long as it is open. */
function LoginDialog() {
  const go = useGo()
  const [tab, setTab] = useState<AuthTab>('login')
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && closeLogin()}
      title={translate(authHeadings[tab])}
      onOpenAutoFocus={(event) => {
        event.preventDefault()
        ;(event.currentTarget as HTMLElement).querySelector('input')?.focus()
      }}
    >
      <AuthForms
        tab={tab}
        onTabChange={setTab}
        onLoggedIn={closeLogin}
        onSignedUp={() => {
          closeLogin()
          void go('/')
        }}
      />
    </Dialog>
  )
}
