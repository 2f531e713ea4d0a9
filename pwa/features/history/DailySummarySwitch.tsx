import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { isUnauthorized } from '#shared/contract/client.ts'
import { updateNotifications } from '#shared/contract/notifications.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { messageChoicesQuery, notificationsQuery } from '#pwa/lib/queries.ts'
import { useRefetchIfLost } from '#pwa/lib/useRefetchIfLost.ts'
import { Switch } from '#pwa/ui/Switch.tsx'
import { toast } from '#pwa/ui/toast.ts'

/** Switches the daily reward email. Renders nothing until the setting is loaded. */
export function DailySummarySwitch() {
  const queryClient = useQueryClient()
  const isOffline = useIsOffline()
  const { data } = useQuery(notificationsQuery)
  const refetchIfLost = useRefetchIfLost(notificationsQuery, messageChoicesQuery)
  const change = useMutation({
    mutationFn: (body: { rewardDigest: boolean }) => api(updateNotifications, { body }),
    onSuccess: (saved) => {
      applyAnswer(queryClient, notificationsQuery, saved)
      void queryClient.invalidateQueries({ queryKey: messageChoicesQuery.queryKey })
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
  return (
    <Switch
      label={t('Email me a daily summary')}
      checked={change.isPending ? change.variables.rewardDigest : data.rewardDigest}
      disabled={change.isPending || isOffline}
      onChange={(rewardDigest) => change.mutate({ rewardDigest })}
    />
  )
}
