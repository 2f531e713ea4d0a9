import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'react-router-dom'
import type { AdminRole } from '#shared/adminRoles.ts'
import { ApiError } from '#shared/contract/client.ts'
import { t, translate, translateServerText } from '#pwa/i18n/t.ts'
import { storeRequestedView } from '#pwa/lib/requestedView.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { TryAgain } from '#pwa/ui/TryAgain.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { ProofPrompt } from '../proof/ProofPrompt.tsx'
import { adminStatusQuery } from '../queries.ts'
import { roleNames, roleTexts } from '../roleNames.ts'
import { AccessDenied } from './AccessDenied.tsx'
import { ownDrafts } from '../useDraft.ts'
import { ClearIpsHint } from './ClearIpsHint.tsx'

/**
 * Shows the panel to an administrator, the access-denied card to other users, and redirects visitors to the login. The server
 * guards the data itself; this component only chooses what to show.
 */
export function AdminGuard({ children }: { children: ReactNode }) {
  const { data: status, error, isFetching, refetch } = useQuery(adminStatusQuery)
  const { data: user, isPending: isUserPending } = useQuery(authUserQuery)
  useToldRole(status?.role)
  const username = status?.username
  useEffect(() => {
    if (username) ownDrafts(username)
  }, [username])

  // Also while the panel is open: the list may have changed since.
  const refusal = error instanceof ApiError && error.code === 'ip_not_allowed' ? error : null
  const queryClient = useQueryClient()
  useEffect(() => {
    // Otherwise a lost connection, whose error replaces this one, would show the panel again.
    if (refusal) queryClient.getQueryCache().find({ queryKey: adminStatusQuery.queryKey })?.setState({ data: undefined })
  }, [refusal, queryClient])
  if (refusal)
    return (
      <AccessDenied>
        {translateServerText(refusal.serverMessage ?? '')} <ClearIpsHint />
      </AccessDenied>
    )
  if (status?.isLoggedIn)
    return (
      <>
        {children}
        <ProofPrompt />
      </>
    )
  if (error)
    return (
      <Page title={t('Administration')} isNarrow>
        <Notice
          tone="error"
          title={t('Failed to check admin login status')}
          action={<TryAgain isTrying={isFetching} onPress={() => void refetch()} />}
        >
          {errorText(error, t('The server did not respond.'))}
        </Notice>
      </Page>
    )
  if (!status || isUserPending) return <PanelSkeleton />
  if (user)
    return <AccessDenied>{t('You are logged in as {email}, which is not an administrator.', { email: user.email })}</AccessDenied>
  return <ToLogin />
}

/** Another owner may change the role while the panel is open: what it no longer allows is then gone from the page. */
function useToldRole(role: AdminRole | null | undefined) {
  const known = useRef(role)
  useEffect(() => {
    if (role && known.current && role !== known.current)
      toast({
        title: t('Your role is now: {role}', { role: translate(roleNames[role]) }),
        description: translate(roleTexts[role]),
      })
    known.current = role
  }, [role])
}

function ToLogin() {
  const go = useGo()
  const { pathname, search } = useLocation()
  useEffect(() => {
    storeRequestedView({ pathname, search })
    toast({ title: t('Admin Login Required'), description: t('Please log in as an administrator.'), destructive: true })
    void go('/admin1', { replace: true })
  }, [go, pathname, search])
  return <PanelSkeleton />
}

const PanelSkeleton = () => (
  <Page title={t('Administration')} heading={null}>
    <span role="status" className="sr-only">
      {t('Loading')}
    </span>
    <Skeleton className="h-9 w-56" />
    <Skeleton className="mt-8 h-11" />
    <Skeleton className="mt-6 h-80 rounded-card" />
  </Page>
)
