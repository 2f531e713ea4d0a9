import { useState } from 'react'
import { Navigate, useNavigate } from 'react-router-dom'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Tabs } from '#pwa/ui/Tabs.tsx'
import { LoginForm } from './LoginForm.tsx'
import { SignUpFlow } from './SignUpFlow.tsx'

type AuthTab = 'login' | 'sign-up'

/** Log in or sign up, on a page of its own. */
export function AuthPage() {
  const navigate = useNavigate()
  const user = useAuthUser()
  const [tab, setTab] = useState<AuthTab>('login')
  const goHome = () => void navigate('/')

  if (user) return <Navigate to="/" replace />
  return (
    <Page title="Log in" heading={tab === 'login' ? 'Welcome back' : 'Create your account'} isSlim>
      <Card>
        <Tabs
          label="Log in or sign up"
          value={tab}
          onValueChange={setTab}
          tabs={[
            { value: 'login', label: 'Login', content: <LoginForm onDone={goHome} /> },
            // Radix takes a hidden tab's content away, so coming back starts again at the e-mail address.
            { value: 'sign-up', label: 'Sign Up', content: <SignUpFlow onDone={goHome} /> },
          ]}
        />
      </Card>
    </Page>
  )
}
