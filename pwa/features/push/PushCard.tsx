import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import type { AuthUser } from '#shared/contract/identity.ts'
import { t } from '#pwa/i18n/t.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { readStored, store } from '#pwa/lib/deviceStorage.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { useRefetchIfLost } from '#pwa/lib/useRefetchIfLost.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Switch } from '#pwa/ui/Switch.tsx'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { pushQuery } from './pushQuery.ts'
import { type PushState, showDetails, turnOffPush, turnOnPush } from './subscription.ts'

const DISMISSAL_KEY = 'push_offer_dismissed'

interface PushCardProps {
  user: AuthUser
  /** Only while there is something to turn on, and until it is dismissed. */
  isOffer?: boolean
}

/** Turns notifications on this device on and off. Offered after the first purchase, where the browser has them. */
export function PushCard({ user, isOffer = false }: PushCardProps) {
  const { data: config } = useQuery(configQuery)
  if (!config?.pushKey || user.totalNodes === 0) return null
  return <DeviceCard account={{ userId: user.id, pushKey: config.pushKey }} isOffer={isOffer} />
}

function DeviceCard({ account, isOffer }: { account: { userId: string; pushKey: string }; isOffer: boolean }) {
  const queryClient = useQueryClient()
  const isOffline = useIsOffline()
  const { data, isError } = useQuery(pushQuery(account))
  // A tap on the button then says what is wrong.
  const state = data ?? (isError ? ({ kind: 'off' } as const) : undefined)
  const [isDismissed, setDismissed] = useState(() => readStored(DISMISSAL_KEY) !== null)
  const refetchIfLost = useRefetchIfLost(pushQuery(account))
  const change = useMutation({
    mutationFn: (act: () => Promise<PushState>) => act(),
    onSuccess: (next) => {
      if (state?.kind === 'off' && next.kind === 'on')
        toast({ title: t('Notifications are on'), description: t('Choose in your inbox what we tell you.') })
      applyAnswer(queryClient, pushQuery(account), next)
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
  if (!state || state.kind === 'unsupported' || (isOffer && (state.kind !== 'off' || isDismissed))) return null

  function toggle() {
    // Within the tap, as browsers require to ask for the permission.
    const next = state?.kind === 'on' ? turnOffPush() : turnOnPush(account)
    change.mutate(() => next)
  }

  function dismiss() {
    setDismissed(true)
    store(DISMISSAL_KEY, 'yes')
  }

  return (
    <Card>
      <CardHeader title={t('Notifications on this device')} />
      <div className="flex flex-col items-start gap-4">
        <p className="text-ink-10 text-pretty">{describe(state)}</p>
        {state.kind === 'on' && (
          <Switch
            label={t('Show amounts in notifications')}
            checked={state.showsDetails}
            disabled={change.isPending || isOffline}
            onChange={(isShown) => change.mutate(() => showDetails(account.userId, isShown))}
          />
        )}
        {(state.kind === 'on' || state.kind === 'off') && (
          // One button, which keeps the focus when its text changes.
          <span className="flex flex-wrap items-center gap-x-6 gap-y-2">
            <Button variant="secondary" needsServer isPending={change.isPending} onClick={toggle}>
              {state.kind === 'on' ? t('Turn off on this device') : t('Turn on notifications')}
            </Button>
            {isOffer && <TextButton onClick={dismiss}>{t('Not now')}</TextButton>}
          </span>
        )}
      </div>
    </Card>
  )
}

function describe(state: PushState): string {
  switch (state.kind) {
    case 'on':
      return state.showsDetails
        ? t('They are on and show amounts, also on the lock screen.')
        : t('They are on. Amounts and addresses stay hidden, because others may see your lock screen.')
    case 'blocked':
      return t('Your browser blocks notifications from this site. Allow them in its settings and reload this page.')
    case 'uninstalled':
      return t(
        'On an iPhone or iPad they need the app: tap Share in Safari, then Add to Home Screen, and turn them on in the app.',
      )
    case 'off':
    case 'unsupported':
      return t(
        'Learn at once when your nodes are yours, a withdrawal is sent, or someone logs in to your account. No advertising, and no amounts on your lock screen.',
      )
  }
}
