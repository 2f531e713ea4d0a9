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

/** One setting as it is stored, and its change. `tellSaved` says in a toast what is so from now on. */
export function useSetting(key: SettingKey, tellSaved: (value: string) => string) {
  const queryClient = useQueryClient()
  const refreshOffice = useRefreshOffice()
  const { data, error, refetch } = useQuery(systemSettingsQuery)
  const save = useMutation({
    mutationFn: (value: string) => api(changeSystemSetting, { body: { key, value } }),
    onSuccess: ({ value }) => {
      // Noted rather than read: what everybody reads is a moment old at times, and would show the setting of before.
      queryClient.setQueryData(systemSettingsQuery.queryKey, (settings) =>
        settings?.map((setting) => (setting.key === key ? { key, value } : setting)),
      )
      toast({ title: t('System Settings Updated'), description: tellSaved(value) })
      void refreshOffice(getNodeSettings.path)
    },
    onError: (failure) => toastFailure(failure, t('failed to update system settings')),
  })
  return {
    /** Undefined until it is known. */
    value: data?.find((setting) => setting.key === key)?.value,
    /** Why it is not known. */
    error: data ? null : error,
    retry: () => void refetch(),
    save,
  }
}
