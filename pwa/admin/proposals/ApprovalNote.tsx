import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { openProposalsQuery } from '../queries.ts'

/** Whether another administrator has to approve a change: `maybe` if only the server can tell. */
export type ApprovalNeed = 'yes' | 'maybe' | 'no'

/** Says before a change that another administrator has to approve it. Nothing while there is one owner, who decides alone. */
export function ApprovalNote({ need = 'yes' }: { need?: ApprovalNeed }) {
  const { data } = useQuery(openProposalsQuery)
  if (need === 'no' || !data || data.owners < 2) return null
  return (
    <>
      {' '}
      <span className="mt-2 block font-strong text-ink-12">
        {need === 'yes'
          ? t('You only propose this. It takes effect when another administrator approves it within 24 hours.')
          : t(
              'It may need a second person. If it does, you only propose it, and it takes effect when another administrator approves it within 24 hours.',
            )}
      </span>
    </>
  )
}
