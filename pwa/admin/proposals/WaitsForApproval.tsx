import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { openProposalsQuery } from '../queries.ts'
import { targetsOf } from './proposalWords.ts'

/** Says of a row that a decision on it was proposed; nothing otherwise. A row may stand for several things. */
export function WaitsForApproval({ of }: { of: readonly string[] }) {
  const { data } = useQuery(openProposalsQuery)
  const isOpen = data?.proposals.some(
    (proposal) => proposal.state === 'open' && targetsOf(proposal).some((target) => target && of.includes(target)),
  )
  return isOpen ? (
    <span className="block">
      <StatusWord tone="waiting">{t('Waits for approval')}</StatusWord>
    </span>
  ) : null
}
