import { useState } from 'react'
import { t, translate } from '#pwa/i18n/t.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { useIsHydrated } from '#pwa/lib/useIsHydrated.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Redirect } from '#pwa/ui/Redirect.tsx'
import { AuthForms, type AuthTab, authHeadings } from './AuthForms.tsx'
import { forgetEmail } from './keptEmail.ts'
import { useSignUpProgress } from './signUpProgress.ts'

/** Login and sign-up as a page. */
export function AuthPage() {
  const go = useGo()
  const user = useAuthUser()
  const [chosen, setTab] = useState<AuthTab | null>(null)
  // The server renders the login. A phone that has discarded the tab for the mail app opens what was left.
  const isSigningUp = useSignUpProgress() !== null
  const isHydrated = useIsHydrated()
  const tab = chosen ?? (isHydrated && isSigningUp ? 'sign-up' : 'login')
  // In place of the login, from which Back would only lead here again.
  function goHome() {
    forgetEmail()
    void go('/', { replace: true })
  }

  if (user) return <Redirect to="/" />
  return (
    <Page title={t('Log in')} heading={translate(authHeadings[tab])} isSlim>
      <Card>
        <AuthForms tab={tab} onTabChange={setTab} onLoggedIn={goHome} onSignedUp={goHome} />
      </Card>
    </Page>
  )
}
