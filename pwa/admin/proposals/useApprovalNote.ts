import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { openProposalsQuery } from '../queries.ts'

/** Says before a change that another administrator has to approve it; undefined while there is one owner, who decides alone. */
export function useApprovalNote(): string | undefined {
  const { data } = useQuery(openProposalsQuery)
  return data && data.owners > 1
    ? t('You only propose this. It takes effect when another administrator approves it within 24 hours.')
    : undefined
}
