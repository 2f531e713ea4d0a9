import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type InboxMessage, type InboxTopic, listInbox, markRead } from '#shared/contract/inbox.ts'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { authUserQuery, inboxQuery, unreadQuery } from '#pwa/lib/queries.ts'
import { AccountError } from '#pwa/ui/AccountError.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { Link } from '#pwa/ui/Link.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { LoginRequired } from '#pwa/ui/LoginRequired.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { PushCard } from '../push/PushCard.tsx'
import { MessageChoicesCard } from './MessageChoicesCard.tsx'

const PAGE_SIZE = 30

/** What happened with the account, newest first. */
export function InboxPage() {
  const { data: user, isPending } = useQuery(authUserQuery)
  return (
    <Page title={t('Inbox')} lead={t('What happened with your account in the last year.')} isNarrow>
      <AccountError />
      {isPending && <Skeleton className="h-64 rounded-card" />}
      {user === null && <LoginRequired>{t('Log in to read your messages.')}</LoginRequired>}
      {user && (
        <div className="flex flex-col gap-4">
          <Inbox />
          <PushCard user={user} />
          <MessageChoicesCard />
        </div>
      )}
    </Page>
  )
}

function Inbox() {
  const [pageCount, setPageCount] = useState(1)
  const { data, error, refetch } = useQuery(inboxQuery)
  const older = useQueries({ queries: Array.from({ length: pageCount - 1 }, (_, index) => olderQuery((index + 1) * PAGE_SIZE)) })
  useMarkRead([data, ...older.map((page) => page.data)].flatMap((page) => page?.messages ?? []))

  if (error && !data)
    return (
      <Notice
        tone="error"
        title={t("Couldn't load your messages")}
        action={
          <Button variant="secondary" onClick={() => void refetch()}>
            {t('Try again')}
          </Button>
        }
      >
        {t('None of them is lost.')}
      </Notice>
    )
  if (!data) return <Skeleton className="h-64 rounded-card" />
  if (data.total === 0)
    return (
      <Card>
        <p className="text-ink-10">{t('There are no messages yet. Purchases, withdrawals and logins will show up here.')}</p>
      </Card>
    )
  // A message that arrives meanwhile moves the others to the next page.
  const messages = new Map(
    [data, ...older.flatMap((page) => page.data ?? [])].flatMap((page) => page.messages).map((one) => [one.id, one]),
  )
  return (
    <>
      <ul className="overflow-hidden rounded-card border border-ink-5 bg-surface">
        {[...messages.values()].map((message) => (
          <Entry key={message.id} message={message} />
        ))}
      </ul>
      {messages.size < data.total && (
        <Button
          variant="secondary"
          needsServer
          isPending={older.some(({ isFetching }) => isFetching)}
          onClick={() => setPageCount(pageCount + 1)}
        >
          {t('Show older messages')}
        </Button>
      )}
    </>
  )
}

const olderQuery = (offset: number) => ({
  queryKey: [listInbox.path, offset],
  queryFn: ({ signal }: { signal: AbortSignal }) => api(listInbox, { query: { limit: PAGE_SIZE, offset } }, { signal }),
  placeholderData: keepPreviousData,
})

/** Marks what is shown as read. The list keeps its marks until it changes, so that one sees what is new. */
function useMarkRead(messages: readonly InboxMessage[]) {
  const queryClient = useQueryClient()
  const isOffline = useIsOffline()
  const { mutate } = useMutation({
    mutationFn: (upTo: string) => api(markRead, { body: { upTo } }),
    onSuccess: (unread) => applyAnswer(queryClient, unreadQuery, unread),
  })
  // Not only the newest one: a message whose transaction took longer appears below newer ones.
  const unread = messages.find(({ isRead }) => !isRead)?.id
  const newest = messages[0]?.id
  useEffect(() => {
    if (!unread || !newest || isOffline) return
    // In a hidden tab nobody has read it.
    const markShown = () => document.visibilityState === 'visible' && mutate(newest)
    markShown()
    document.addEventListener('visibilitychange', markShown)
    return () => document.removeEventListener('visibilitychange', markShown)
  }, [unread, newest, isOffline, mutate])
}

const topics: Record<InboxTopic, Message> = {
  nodes: msg('Nodes'),
  payments: msg('Payments'),
  withdrawals: msg('Withdrawals'),
  rewards: msg('Rewards'),
  news: msg('News'),
  security: msg('Security'),
}

function Entry({ message: { title, topic, paragraphs, facts, link, createdAt, isRead } }: { message: InboxMessage }) {
  return (
    <li className="border-t border-ink-5 first:border-t-0">
      <details className="group">
        <summary className="flex min-h-14 cursor-pointer list-none flex-col gap-1 px-4 py-3 transition-colors hover:bg-ink-2 desk:px-6 [&::-webkit-details-marker]:hidden">
          <span className="flex flex-wrap items-center justify-between gap-x-4 text-14 text-ink-9">
            <span className="figures">
              {topic in topics ? translate(topics[topic as InboxTopic]) : topic} · {formatDateTime(createdAt)}
              <LocalTime date={createdAt} hasDay />
            </span>
            {!isRead && <StatusWord tone="accent">{t('New')}</StatusWord>}
          </span>
          <span className="font-strong text-pretty [overflow-wrap:anywhere]">{title}</span>
        </summary>
        <div className="flex flex-col gap-3 px-4 pb-4 desk:px-6">
          {[...new Set(paragraphs)].map((text) => (
            <p key={text} className="whitespace-pre-line text-ink-10 text-pretty [overflow-wrap:anywhere]">
              {text}
            </p>
          ))}
          {facts.length > 0 && (
            <dl className="divide-y divide-ink-5 border-t border-ink-5 text-14">
              {facts.map(([name, value]) => (
                <div key={name} className="flex flex-wrap justify-between gap-x-4 py-2">
                  <dt className="text-ink-9">{name}</dt>
                  <dd translate="no" className="exact min-w-0 [overflow-wrap:anywhere]">
                    {value.startsWith('https://') ? (
                      <a href={value} target="_blank" rel="noreferrer" className="text-accent underline underline-offset-4">
                        {value}
                      </a>
                    ) : (
                      value
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          )}
          {link && (
            <Link to={link} className="inline-flex min-h-11 items-center self-start text-accent underline underline-offset-4">
              {translate(places[link] ?? msg('Open'))}
            </Link>
          )}
        </div>
      </details>
    </li>
  )
}

/** The pages to which messages lead. */
const places: Record<string, Message> = {
  '/history': msg('See your history'),
  '/purchase': msg('Buy nodes'),
  '/security': msg('Open Security Settings'),
}
