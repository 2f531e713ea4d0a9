import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { isUnauthorized } from '#shared/contract/client.ts'
import type { Input } from '#shared/contract/endpoint.ts'
import { type InboxTopic, inboxTopics, REQUIRED_TOPIC, updateMessageChoices } from '#shared/contract/inbox.ts'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { configQuery, messageChoicesQuery, notificationsQuery } from '#pwa/lib/queries.ts'
import { useRefetchIfLost } from '#pwa/lib/useRefetchIfLost.ts'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Switch } from '#pwa/ui/Switch.tsx'
import { toast } from '#pwa/ui/toast.ts'

const names: Record<InboxTopic, Message> = {
  nodes: msg('Nodes you bought or were given'),
  payments: msg('Payments and refunds'),
  withdrawals: msg('Payouts and refunds of withdrawals'),
  rewards: msg("A summary of each day's reward"),
  news: msg('Start of sales and messages from our team'),
  security: msg('Logins, requested withdrawals and changes of your account'),
}

/** Chooses which messages are kept in the inbox, emailed and pushed. Renders nothing until they are loaded. */
export function MessageChoicesCard() {
  const queryClient = useQueryClient()
  const isOffline = useIsOffline()
  const { data } = useQuery(messageChoicesQuery)
  const { data: config } = useQuery(configQuery)
  const refetchIfLost = useRefetchIfLost(messageChoicesQuery, notificationsQuery)
  const change = useMutation({
    mutationFn: (body: Input<typeof updateMessageChoices>['body']) => api(updateMessageChoices, { body }),
    onSuccess: (saved) => {
      applyAnswer(queryClient, messageChoicesQuery, saved)
      void queryClient.invalidateQueries({ queryKey: notificationsQuery.queryKey })
    },
    onError: (error) => {
      refetchIfLost(error)
      if (isUnauthorized(error)) return
      toast({
        title: failureTitle(error, t('Not Changed')),
        description: errorText(error, t('Please try again.'), isShownHere),
        destructive: true,
      })
    },
  })
  if (!data) return null
  const changed = change.isPending ? change.variables : undefined
  return (
    <Card>
      <CardHeader title={t('What we tell you')} />
      <ul className="divide-y divide-ink-5">
        {inboxTopics.map((topic) => {
          const {
            inbox = data[topic].inbox,
            mail = data[topic].mail,
            push = data[topic].push,
          } = changed?.topic === topic ? changed : {}
          return (
            <li key={topic} className="flex flex-wrap items-center justify-between gap-x-6 py-2 first:pt-0 last:pb-0">
              <span className="min-w-0 flex-1 basis-56">{translate(names[topic])}</span>
              {topic === REQUIRED_TOPIC ? (
                <span className="flex min-h-11 items-center text-14 text-ink-9">{t('Always, on every channel')}</span>
              ) : (
                <span className="flex flex-wrap gap-x-4 sm:gap-x-6">
                  <Switch
                    label={<Channel channel={t('Inbox')} topic={translate(names[topic])} />}
                    checked={inbox}
                    disabled={change.isPending || isOffline}
                    onChange={(isOn) => change.mutate({ topic, inbox: isOn })}
                  />
                  <Switch
                    label={<Channel channel={t('Email')} topic={translate(names[topic])} />}
                    checked={mail}
                    disabled={change.isPending || isOffline}
                    onChange={(isOn) => change.mutate({ topic, mail: isOn })}
                  />
                  {config?.pushKey && (
                    <Switch
                      label={<Channel channel={t('Device')} topic={translate(names[topic])} />}
                      checked={push}
                      disabled={change.isPending || isOffline}
                      onChange={(isOn) => change.mutate({ topic, push: isOn })}
                    />
                  )}
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const Channel = ({ channel, topic }: { channel: string; topic: string }) => (
  <>
    {channel}
    <span className="sr-only">: {topic}</span>
  </>
)
