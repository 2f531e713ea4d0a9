import { assignBonus, listBonusStatus } from '#shared/contract/admin/bonus.ts'
import type { Input } from '#shared/contract/endpoint.ts'
import { t } from '#pwa/i18n/t.ts'
import { decide } from '../proof/decide.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'
import { useRowDecision } from '../useRowDecision.ts'

export type BonusGrant = Input<typeof assignBonus>['body']

interface GrantBonusCallbacks {
  onSettled: () => void
  onRefused: (error: Error) => void
}

/** Grants bonus nodes to one account. */
export function useGrantBonus({ onSettled, onRefused }: GrantBonusCallbacks) {
  const refreshOffice = useRefreshOffice()
  return useRowDecision({
    decide: (body: BonusGrant, options) => decide(assignBonus, { body }, options),
    done: t('Bonus Granted'),
    failed: t('Failed to grant bonus.'),
    refreshes: [listBonusStatus.path],
    onSettled,
    onRefused: (error) => {
      onRefused(error)
      // Somebody else may have granted what is due.
      void refreshOffice(listBonusStatus.path)
    },
  })
}
