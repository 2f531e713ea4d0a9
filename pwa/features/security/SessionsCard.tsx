import { useQuery } from '@tanstack/react-query'
import { Monitor, Smartphone } from '#pwa/ui/icons.ts'
import { isUnauthorized } from '#shared/contract/client.ts'
import type { AccountSession } from '#shared/contract/sessions.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { sessionsQuery } from '#pwa/lib/queries.ts'
import { showDevice } from '#pwa/lib/showDevice.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useEndOtherSessions } from './queries.ts'

/** The account's sessions, and a button that ends all others. */
export function SessionsCard() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const end = useEndOtherSessions()
  const others = sessions?.filter(({ current }) => !current).length ?? 0

  const endOthers = () =>
    end.mutate(undefined, {
      onSuccess: ({ ended }) =>
        toast({
          title: t('Logged Out Everywhere Else'),
          description: plural(ended, 'One session was ended.', '{count} sessions were ended.'),
        }),
      onError: (failure) => {
        if (isUnauthorized(failure)) return
        toast({
          title: failureTitle(failure, t('Log Out Failed')),
          description: errorText(failure, t('Please try again.'), isShownHere),
          destructive: true,
        })
      },
    })

  return (
    <Card>
      <CardHeader title={t('Where You Are Logged In')} />
      {error && (
        <Notice
          tone="error"
          title={t("Couldn't load the list")}
          action={
            <Button variant="secondary" onClick={() => void refetch()}>
              {t('Try again')}
            </Button>
          }
        >
          {t('Nobody was logged out.')}
        </Notice>
      )}
      {!sessions && !error && <Skeleton className="h-14 rounded-input" />}
      {sessions && (
        <ul className="divide-y divide-ink-5">
          {sessions.map((session) => (
            <Session key={session.id} session={session} />
          ))}
        </ul>
      )}
      {others > 0 && (
        <Button
          variant="secondary"
          className="mt-4 w-full desk:w-auto"
          needsServer
          onClick={endOthers}
          isPending={end.isPending}
          pendingLabel={t('Logging out...')}
        >
          {t('Log out everywhere else')}
        </Button>
      )}
    </Card>
  )
}

function Session({ session: { device, ip, lastSeen, current } }: { session: AccountSession }) {
  const Icon = /Android|iPhone|iPad|iOS/.test(device) ? Smartphone : Monitor
  return (
    <li className="flex items-center gap-4 py-3 first:pt-0 last:pb-0">
      <span className="grid size-11 shrink-0 place-items-center rounded-input bg-ink-3 text-ink-10">
        <Icon size={20} aria-hidden />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center justify-between gap-x-4">
          <span className="font-strong">{showDevice(device)}</span>
          {current && <StatusWord tone="accent">{t('This device')}</StatusWord>}
        </div>
        <p className="flex flex-wrap gap-x-3 text-14 text-ink-9">
          {ip && (
            <span translate="no" className="exact">
              {ip}
            </span>
          )}
          <span className="figures">
            {t('Last seen {time}', { time: formatDateTime(lastSeen) })}
            <LocalTime date={lastSeen} hasDay />
          </span>
        </p>
      </div>
    </li>
  )
}
