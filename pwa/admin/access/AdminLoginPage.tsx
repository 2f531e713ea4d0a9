import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { ApiError } from '#shared/contract/client.ts'
import { t } from '#pwa/i18n/t.ts'
import { takeRequestedView } from '#pwa/lib/requestedView.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { TryAgain } from '#pwa/ui/TryAgain.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Redirect } from '#pwa/ui/Redirect.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { adminStatusQuery, useRefetchAdmin } from '../queries.ts'
import { hideDrafts } from '../useDraft.ts'
import { AcceptInvitation } from './AcceptInvitation.tsx'
import { ClearIpsHint } from './ClearIpsHint.tsx'
import { CodeStep } from './CodeStep.tsx'
import { CredentialsStep, type SecondFactor } from './CredentialsStep.tsx'
import { PasskeyStep } from './PasskeyStep.tsx'

/** The administrator's login: name and password, then a passkey or the authenticator code if one is set up. */
export function AdminLoginPage() {
  const { data: status, error, isPending, isFetching, refetch } = useQuery(adminStatusQuery)
  const refetchAdmin = useRefetchAdmin()
  const [askedView, setAskedView] = useState('/admin-panel')
  /** What the server requires after the password; null before it. */
  const [factors, setFactors] = useState<readonly SecondFactor[] | null>(null)
  const hasCode = factors?.includes('code') === true
  const { invitation, end } = useInvitation()

  async function finish() {
    toast({ title: t('Login Successful'), description: t('Welcome') })
    hideDrafts()
    setAskedView(takeRequestedView())
    await refetchAdmin()
  }

  const isShutOut = error instanceof ApiError && error.code === 'ip_not_allowed'
  if (status?.isLoggedIn && !isShutOut && !invitation) return <Redirect to={askedView} />
  return (
    <Page
      title={invitation ? t('Join the back office') : t('Administrator Login')}
      isSlim
      lead={invitation ? t('Choose the name that the audit log will show, and a password.') : leadOf(factors)}
    >
      <div className="flex flex-col gap-4">
        {error && (
          <Notice
            tone="error"
            title={t('Failed to check admin login status')}
            action={<TryAgain isTrying={isFetching} onPress={() => void refetch()} />}
          >
            {errorText(error, t('The server did not respond.'))}
            {isShutOut && <ClearIpsHint />}
          </Notice>
        )}
        {isPending ? (
          <Skeleton className="h-72 rounded-card" />
        ) : (
          <Card>
            {invitation ? (
              <AcceptInvitation token={invitation} onDone={end} />
            ) : factors === null ? (
              <CredentialsStep onHalfDone={setFactors} onDone={finish} />
            ) : (
              <div className="flex flex-col gap-5">
                {factors.includes('passkey') && <PasskeyStep hasCode={hasCode} onBack={() => setFactors(null)} onDone={finish} />}
                {hasCode ? (
                  <CodeStep onBack={() => setFactors(null)} onDone={finish} />
                ) : (
                  <Button variant="secondary" isWide onClick={() => setFactors(null)}>
                    {t('Back to Login')}
                  </Button>
                )}
              </div>
            )}
          </Card>
        )}
        <Notice title={t('Security notice')}>{t('Access is restricted and monitored, and all admin activity is logged.')}</Notice>
        <ButtonLink to="/" variant="quiet" className="self-center">
          {t('Back to Home')}
        </ButtonLink>
      </div>
    </Page>
  )
}

/**
 * The token of an invitation, moved from the address bar into the history's state, which a reload keeps and which nobody reads over a
 * shoulder.
 */
function useInvitation() {
  const { hash, state } = useLocation()
  const go = useGo()
  const token = new URLSearchParams(hash.slice(1)).get('invitation')
  useEffect(() => {
    if (token) void go('/admin1', { replace: true, state: { invitation: token } })
  }, [token, go])
  return {
    invitation: token ?? (state as { invitation?: string } | null)?.invitation,
    end(username: string) {
      toast({ title: t('You Have Joined'), description: t('Log in as {name}.', { name: username }) })
      void go('/admin1', { replace: true })
    },
  }
}

function leadOf(factors: readonly SecondFactor[] | null): string {
  if (factors === null) return t('The administrator area of this service.')
  if (!factors.includes('passkey')) return t('One more step: enter the code from your authenticator app.')
  return factors.includes('code')
    ? t('One more step: use a passkey, or enter the code from your authenticator app.')
    : t('One more step: use one of your passkeys.')
}
