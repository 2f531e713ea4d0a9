import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeSystemSetting } from '#shared/contract/admin/office.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { Proposed } from '#shared/contract/client.ts'
import { getNodeSettings } from '#shared/contract/settings.ts'
import { type SettingKey } from '#shared/settings.ts'
import { t } from '#pwa/i18n/t.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { systemSettingsQuery } from '#pwa/lib/queries.ts'
import { toast } from '#pwa/ui/toast.ts'
import { decide } from '../proof/decide.ts'
import { isChangedMeanwhile, toastFailure } from '../toastFailure.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'

/** One stored setting and its mutation. `tellSaved` returns the text of the toast after a save. */
export function useSetting(key: SettingKey, tellSaved: (value: string) => string) {
  const queryClient = useQueryClient()
  const refreshOffice = useRefreshOffice()
  const { data, error, refetch } = useQuery(systemSettingsQuery)
  const shown = data?.find((setting) => setting.key === key)?.value
  // Written to the cache rather than refetched: the public settings are cached on the server and may still be old.
  const show = (value: string) => {
    const settings = queryClient.getQueryData(systemSettingsQuery.queryKey) ?? []
    applyAnswer(
      queryClient,
      systemSettingsQuery,
      settings.map((setting) => (setting.key === key ? { key, value } : setting)),
    )
  }
  const save = useMutation({
    mutationFn: ({ value, reason }: { value: string; reason?: string | undefined }) =>
      decide(changeSystemSetting, { body: { key, value, replaces: shown, reason } }),
    onSuccess: ({ value }) => {
      show(value)
      toast({ title: t('System Settings Updated'), description: tellSaved(value) })
      void refreshOffice(getNodeSettings.path)
    },
    onError: (failure) => {
      toastFailure(failure, t('failed to update system settings'))
      if (isChangedMeanwhile(failure)) show(failure.details.value ?? '')
      if (failure instanceof Proposed) void refreshOffice(listProposals.path)
    },
  })
  return {
    /** Undefined until loaded. */
    value: shown,
    /** Set if loading failed. */
    error: data ? null : error,
    retry: () => void refetch(),
    save,
  }
}
