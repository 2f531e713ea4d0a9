import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatAmount } from '#shared/amount.ts'
import { scheduleRewardRate } from '#shared/contract/admin/office.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { t } from '#pwa/i18n/t.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { systemSettingsQuery } from '#pwa/lib/queries.ts'
import { toast } from '#pwa/ui/toast.ts'
import { decide } from '../proof/decide.ts'
import { rewardRatesQuery } from '../queries.ts'
import { isChangedMeanwhile, isDecided, toastFailure } from '../toastFailure.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'
import { formatTime } from '../zone/officeZone.ts'

/** Schedules a daily reward. `onDecided` is called once it is scheduled or proposed. */
export function useScheduleRate(onDecided: () => void) {
  const queryClient = useQueryClient()
  const refreshOffice = useRefreshOffice()
  return useMutation({
    mutationFn: (input: { rate: bigint; effectiveFrom: Date; replaces: bigint; reason: string | undefined }) =>
      decide(scheduleRewardRate, { body: input }),
    onSuccess: (rates, asked) => {
      applyAnswer(queryClient, rewardRatesQuery, rates)
      toast({
        title: t('Daily Reward Scheduled'),
        description: t('{rate} XCR per node per day, from {time}.', {
          rate: formatAmount(asked.rate, { grouped: true }),
          time: formatTime(asked.effectiveFrom),
        }),
      })
      void refreshOffice(systemSettingsQuery.queryKey[0])
    },
    onError: (error) => {
      toastFailure(error, t('failed to update system settings'))
      if (isChangedMeanwhile(error)) void queryClient.invalidateQueries({ queryKey: rewardRatesQuery.queryKey })
    },
    onSettled: (_rates, error) => {
      if (!isDecided(error)) return
      onDecided()
      void refreshOffice(listProposals.path)
    },
  })
}
