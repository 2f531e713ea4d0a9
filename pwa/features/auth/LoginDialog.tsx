import { useState } from 'react'
import { translate } from '#pwa/i18n/t.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { AuthForms, type AuthTab, authHeadings } from './AuthForms.tsx'
import { closeLogin } from './loginStore.ts'

/** The forms and the tab reset when it closes. */
export function LoginDialog() {
  const go = useGo()
  const [tab, setTab] = useState<AuthTab>('login')
  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && closeLogin()} title={translate(authHeadings[tab])}>
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
