import { type Message, msg, t } from '#pwa/i18n/t.ts'
import { Tabs } from '#pwa/ui/Tabs.tsx'
import { RequiredVerification } from '../captcha/RequiredVerification.tsx'
import { LoginTab } from './LoginTab.tsx'
import { SignUpFlow } from './SignUpFlow.tsx'

export type AuthTab = 'login' | 'sign-up'

export const authHeadings: Record<AuthTab, Message> = { login: msg('Welcome back'), 'sign-up': msg('Create your account') }

interface AuthFormsProps {
  tab: AuthTab
  onTabChange: (tab: AuthTab) => void
  onLoggedIn: () => void
  onSignedUp: () => void
}

/** The login and sign-up tabs, in the dialog and on the page. */
export function AuthForms({ tab, onTabChange, onLoggedIn, onSignedUp }: AuthFormsProps) {
  return (
    <>
      <Tabs
        label={t('Log in or sign up')}
        value={tab}
        onValueChange={onTabChange}
        tabs={[
          { value: 'login', label: t('Login'), content: <LoginTab onDone={onLoggedIn} /> },
          // Radix unmounts a hidden tab, so the form starts again at the e-mail address.
          { value: 'sign-up', label: t('Sign Up'), content: <SignUpFlow onDone={onSignedUp} /> },
        ]}
      />
      <RequiredVerification />
    </>
  )
}
