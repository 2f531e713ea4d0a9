import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { openProposalsQuery } from '../queries.ts'

/** Says before a change that another administrator has to approve it. Nothing while there is one owner, who decides alone. */
export function ApprovalNote() {
  const { data } = useQuery(openProposalsQuery)
  if (!data || data.owners < 2) return null
  return (
    <>
      {' '}
      <span className="mt-2 block font-strong text-ink-12">
        {t('You only propose this. It takes effect when another administrator approves it within 24 hours.')}
      </span>
    </>
  )
}
