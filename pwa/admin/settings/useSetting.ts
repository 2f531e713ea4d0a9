import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeSystemSetting } from '#shared/contract/admin/office.ts'
import { getNodeSettings } from '#shared/contract/settings.ts'
import { type SettingKey } from '#shared/settings.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { systemSettingsQuery } from '#pwa/lib/queries.ts'
import { toast } from '#pwa/ui/toast.ts'
import { toastFailure } from '../toastFailure.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'

/** One stored setting and its mutation. `tellSaved` returns the text of the toast after a save. */
export function useSetting(key: SettingKey, tellSaved: (value: string) => string) {
  const queryClient = useQueryClient()
  const refreshOffice = useRefreshOffice()
  const { data, error, refetch } = useQuery(systemSettingsQuery)
  const save = useMutation({
    mutationFn: (value: string) => api(changeSystemSetting, { body: { key, value } }),
    onSuccess: ({ value }) => {
      // Written to the cache rather than refetched: the public settings are cached on the server and may still be old.
      queryClient.setQueryData(systemSettingsQuery.queryKey, (settings) =>
        settings?.map((setting) => (setting.key === key ? { key, value } : setting)),
      )
      toast({ title: t('System Settings Updated'), description: tellSaved(value) })
      void refreshOffice(getNodeSettings.path)
    },
    onError: (failure) => toastFailure(failure, t('failed to update system settings')),
  })
  return {
    /** Undefined until loaded. */
    value: data?.find((setting) => setting.key === key)?.value,
    /** Set if loading failed. */
    error: data ? null : error,
    retry: () => void refetch(),
    save,
  }
}
