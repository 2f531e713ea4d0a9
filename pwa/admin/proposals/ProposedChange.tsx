import { useQuery } from '@tanstack/react-query'
import type { Proposal } from '#shared/contract/admin/proposals.ts'
import { t } from '#pwa/i18n/t.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { scrollToTabs } from '../panel/scrollToTabs.ts'
import { openProposalsQuery } from '../queries.ts'
import { subjectOf, titleOf } from './proposalWords.ts'

interface ProposedChangeProps {
  actions: readonly string[]
  target?: string
  /** The value of a record as people read it; without it the proposal's title says what changes. */
  show?: (record: unknown) => string
}

/** Says of a setting that changes of it are proposed and not done yet; nothing if there are none. */
export function ProposedChange({ actions, target, show }: ProposedChangeProps) {
  const { data } = useQuery(openProposalsQuery)
  const found = data?.proposals.filter(
    (one) => one.state === 'open' && actions.includes(one.action) && (target === undefined || one.target === target),
  )
  if (!found || found.length === 0) return null
  return (
    <div className="mb-4 flex flex-col gap-2">
      {found.map((proposal) => (
        <Notice
          key={proposal.id}
          tone="warning"
          title={
            proposal.isMine
              ? t('Proposed by you, not done yet')
              : t('Proposed by {name}, not done yet', { name: proposal.proposedBy })
          }
        >
          <p className="figures wrap-anywhere">
            {show ? `${show(proposal.before)} → ${show(proposal.after)}` : summaryOf(proposal)}
          </p>
          <p>{t('Nothing changes until another administrator approves it.')}</p>
          <Link
            to="/admin-panel?tab=proposals"
            onClick={scrollToTabs}
            className="inline-flex min-h-11 items-center text-accent underline underline-offset-2"
          >
            {t('See the proposal')}
          </Link>
        </Notice>
      ))}
    </div>
  )
}

const summaryOf = (proposal: Proposal): string =>
  [titleOf(proposal), subjectOf(proposal)].filter((part) => part !== null).join(' · ')
