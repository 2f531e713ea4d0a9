import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router-dom'
import { ApiError } from '#shared/contract/client.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { freezeByLink, readFreezeLink } from '#shared/contract/freezes.ts'
import { clearUserData } from '#pwa/app/clearUserData.ts'
import { type Message, msg, plural, t, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle, mayRepeat } from '#pwa/lib/errorText.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { withoutRedirect } from '#pwa/lib/unauthorized.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { SupportLink } from '#pwa/ui/SupportLink.tsx'

/** What the entry of this page in the browser's history holds. */
export interface FreezeState {
  /** The token of the link. */
  token?: string
  /** The answer to a freeze on another page. */
  done?: Frozen
}
type Frozen = Output<typeof freezeByLink>

/**
 * Where the link of a security mail leads. It changes nothing before the press: mail scanners open every link and run its scripts. The
 * page needs no session.
 */
export function FreezePage() {
  const { token, done } = useFreezeState()
  if (done) return <Done frozen={done} />
  return token ? <FreezeByLink key={token} token={token} /> : <NoLink />
}

/** Moves the token from the address bar into the history's state, which a reload keeps and which nobody reads over a shoulder. */
function useFreezeState(): FreezeState {
  const { hash, state } = useLocation()
  const go = useGo()
  const token = new URLSearchParams(hash.slice(1)).get('token')
  useEffect(() => {
    if (token) void go('/freeze', { replace: true, state: { token } satisfies FreezeState })
  }, [token, go])
  return token ? { token } : ((state as FreezeState | null) ?? {})
}

function FreezeByLink({ token }: { token: string }) {
  const queryClient = useQueryClient()
  // The link may be used already if the page was loaded again. Freezing need not wait for this answer.
  const link = useQuery({
    queryKey: [readFreezeLink.path, token],
    queryFn: ({ signal }) => api(readFreezeLink, { body: { token } }, { signal }),
    gcTime: 0,
  })
  const freeze = useMutation({
    mutationFn: () =>
      withoutRedirect(async () => {
        const frozen = await api(freezeByLink, { body: { token } })
        // The link may belong to another account than the session.
        await queryClient.invalidateQueries({ queryKey: authUserQuery.queryKey })
        if (!queryClient.getQueryData(authUserQuery.queryKey)) clearUserData(queryClient)
        return frozen
      }),
    // The answer may be lost, and the account frozen.
    onError: () => void link.refetch(),
  })
  const frozen = freeze.data ?? link.data?.frozen
  if (frozen) return <Done frozen={frozen} isEarlier={!freeze.data} />
  const { error } = freeze
  const dead = findDead(error) ?? findDead(link.error)
  if (dead) return <DeadLink title={translate(dead)} />
  return (
    <Page
      title={t('Freeze your account')}
      lead={t('Has somebody else used your account? Stop them here, then sort it out.')}
      isSlim
    >
      <Card>
        <p className="text-pretty">
          {t('Press the button, and nobody can withdraw or change your password, authenticator or wallet.')}
        </p>
        <Button
          variant="danger"
          isWide
          needsServer
          className="mt-4"
          onClick={() => freeze.mutate()}
          isPending={freeze.isPending}
          pendingLabel={t('Freezing...')}
        >
          {t('Freeze my account')}
        </Button>
        {error && (
          <div className="mt-4">
            <Notice tone="error" title={failureTitle(error, t('Your account is not frozen yet'))}>
              {errorText(error, t('Please try again.'), mayRepeat)}
            </Notice>
          </div>
        )}
        <ul className="mt-5 list-disc space-y-2 pl-5 text-14 text-ink-10 marker:text-ink-7">
          <li>{t('You are logged out on all devices.')}</li>
          <li>{t('Withdrawals that are not signed yet are put on hold. One that is signed can no longer be stopped.')}</li>
          <li>{t('Your nodes, payments and rewards go on.')}</li>
          <li>{t('To use the account again, you need your password, a code of your authenticator, and 24 hours.')}</li>
        </ul>
      </Card>
    </Page>
  )
}

/** Links that can't freeze the account any more. */
const deadLinks: Record<string, Message> = {
  freeze_link_used: msg('This link was used before'),
  freeze_link_expired: msg('This link has expired'),
  freeze_link_unknown: msg('This link is not complete or not ours'),
}

const findDead = (error: Error | null) => (error instanceof ApiError && error.code ? deadLinks[error.code] : undefined)

function DeadLink({ title }: { title: string }) {
  return (
    <Page title={t('Freeze your account')} isSlim>
      <Notice tone="error" title={title}>
        {t('Each link works once, for 7 days. This one has changed nothing now.')}
      </Notice>
      <OtherWays />
    </Page>
  )
}

const NoLink = () => (
  <Page title={t('Freeze your account')} isSlim>
    <Notice tone="warning" title={t('Open the link in the mail again')}>
      {t('This page needs the link of one of our security mails.')}
    </Notice>
    <OtherWays />
  </Page>
)

/** What to do without a link that works. */
const OtherWays = () => (
  <Card className="mt-4">
    <h2 className="font-strong">{t('What you can do instead')}</h2>
    <ul className="mt-3 list-disc space-y-2 pl-5 text-14 text-ink-10 marker:text-ink-7">
      <li>{t('Use the link of the newest security mail.')}</li>
      <li>{t('Log in, and freeze the account in Security Settings.')}</li>
      <li>
        {t('Contact us:')} <SupportLink />
      </li>
    </ul>
    <ButtonLink to="/security" variant="secondary" className="mt-5 w-full desk:w-auto">
      {t('Open Security Settings')}
    </ButtonLink>
  </Card>
)

/** @param isEarlier It was frozen at an earlier visit; somebody may have logged in since. */
function Done({ frozen: { withdrawalsOnTheirWay }, isEarlier = false }: { frozen: Frozen; isEarlier?: boolean }) {
  // The pressed button is gone; a screen reader continues here.
  const heading = useRef<HTMLElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Page
      title={t('Your account is frozen')}
      heading={
        <span ref={heading} tabIndex={-1} className="outline-none">
          {t('Your account is frozen')}
        </span>
      }
      lead={t(
        isEarlier
          ? 'Nobody can withdraw or change your password, authenticator or wallet. We have emailed you what happened.'
          : 'You are logged out everywhere, and we have emailed you what happened.',
      )}
      isSlim
    >
      {withdrawalsOnTheirWay > 0 && (
        <div className="mb-4">
          <Notice tone="warning">
            {plural(
              withdrawalsOnTheirWay,
              'One withdrawal was signed already and will be paid. It can no longer be stopped.',
              '{count} withdrawals were signed already and will be paid. They can no longer be stopped.',
            )}
          </Notice>
        </div>
      )}
      <Card>
        <h2 className="font-strong">{t('What to do next')}</h2>
        <ol className="mt-3 list-decimal space-y-2 pl-5 text-14 text-ink-10 marker:text-ink-9">
          <li>
            {t('If somebody may know your password, set a new one with “Forgot password?” at the login and your authenticator.')}
          </li>
          <li>{t('Log in and start the thaw. It takes 24 hours.')}</li>
          <li>
            {t('Is the authenticator not yours any more, or is there none? Contact us:')} <SupportLink />
          </li>
        </ol>
        <ButtonLink to="/auth" variant="secondary" isWide className="mt-5">
          {t('Log in')}
        </ButtonLink>
      </Card>
    </Page>
  )
}
