import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  approveProposal,
  listProposals,
  type Proposal,
  PROPOSALS_PER_PAGE,
  rejectProposal,
  withdrawProposal,
} from '#shared/contract/admin/proposals.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { Differences } from '../audit/Differences.tsx'
import { ListError } from '../lists/ListError.tsx'
import { Pager } from '../lists/Pager.tsx'
import { InlinePersonLink } from '../person/PersonLink.tsx'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { ProvenDialog } from '../proof/ProvenDialog.tsx'
import { useRefreshOffice } from '../useRefreshOffice.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { formatTime } from '../zone/officeZone.ts'
import { accountOf, stateOf, subjectOf, titleOf } from './proposalWords.ts'

const proposalsQuery = (page: number) =>
  queryOptions({
    queryKey: [listProposals.path, page],
    queryFn: ({ signal }) =>
      api(listProposals, { query: { limit: PROPOSALS_PER_PAGE, offset: (page - 1) * PROPOSALS_PER_PAGE } }, { signal }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

interface Asked {
  about: 'approve' | 'reject' | 'withdraw'
  proposal: Proposal
}

/** What waits for a second person, and what was decided. */
export function ProposalsView() {
  const [page, setPage] = useState(1)
  const { data, error, isFetching, refetch } = useQuery(proposalsQuery(page))
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  return (
    <Card>
      <CardHeader title={t('Proposals')} />
      <p className="mb-4 text-14 text-ink-10">
        {t('What moves much or gives power takes effect when a second person approves it within 24 hours.')}
      </p>
      {data && data.owners < 2 && (
        <div className="mb-4">
          <Notice tone="warning" title={t('There is one owner')}>
            {t(
              'Until there is a second one, everything takes effect at once, except the removal of a lost authenticator: support proposes it, and if the owner removes it alone, that takes 24 hours. What would need a second person asks for your code or passkey, if your login does.',
            )}
          </Notice>
        </div>
      )}
      {error && (
        <ListError
          title={t("Couldn't load the proposals")}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && <Skeleton className="h-32" />}
      {data?.proposals.length === 0 && <p className="text-14 text-ink-9">{t('Nothing was proposed yet.')}</p>}
      {data && data.proposals.length > 0 && (
        <ul aria-label={t('Proposals')} className="divide-y divide-ink-4 rounded-input border border-ink-5">
          {data.proposals.map((proposal) => (
            <Row key={proposal.id} proposal={proposal} onAsk={(about) => setAsked({ about, proposal })} />
          ))}
        </ul>
      )}
      {data && <Pager what={t('proposals')} page={page} pageSize={PROPOSALS_PER_PAGE} paging={data} onPage={setPage} />}
      {asked?.about === 'approve' && <ApproveDialog proposal={asked.proposal} onClose={close} />}
      {asked?.about === 'reject' && <RejectDialog proposal={asked.proposal} onClose={close} />}
      {asked?.about === 'withdraw' && <WithdrawDialog proposal={asked.proposal} onClose={close} />}
    </Card>
  )
}

function Row({ proposal, onAsk }: { proposal: Proposal; onAsk: (about: Asked['about']) => void }) {
  const { state, isMine, mayDecide, proposedBy, proposedAt, expiresAt, decidedBy, decidedAt, outcome } = proposal
  const { tone, word } = stateOf(proposal)
  const isOpen = state === 'open'
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 px-3.5 py-3 text-14">
      <div className="min-w-0 flex-1 basis-80">
        <StatusWord tone={tone}>{word}</StatusWord>
        <p className="font-strong wrap-anywhere">{titleOf(proposal)}</p>
        <What proposal={proposal} />
        <Reason proposal={proposal} />
        <p className="mt-1 text-ink-9 wrap-anywhere">
          {isMine
            ? t('Proposed by you, {time}', { time: formatTime(proposedAt) })
            : t('Proposed by {name}, {time}', { name: proposedBy, time: formatTime(proposedAt) })}
        </p>
        {isOpen && <p className="text-ink-9">{t('Can be approved until {time}', { time: formatTime(expiresAt) })}</p>}
        {isOpen && !isMine && !mayDecide && <p className="text-ink-9">{t('Your role cannot approve it.')}</p>}
        {decidedBy && decidedAt && (
          <p className="text-ink-9 wrap-anywhere">
            {t('Decided by {name}, {time}', { name: decidedBy, time: formatTime(decidedAt) })}
          </p>
        )}
        {outcome && state === 'rejected' && <p className="wrap-anywhere">{outcome}</p>}
      </div>
      {isOpen && isMine && (
        <Button variant="secondary" needsServer className="max-sm:w-full" onClick={() => onAsk('withdraw')}>
          {t('Withdraw proposal')}
        </Button>
      )}
      {mayDecide && (
        <div className="flex gap-2 max-sm:w-full max-sm:*:flex-1">
          <Button variant="secondary" needsServer onClick={() => onAsk('reject')}>
            {t('Reject proposal')}
          </Button>
          <Button needsServer onClick={() => onAsk('approve')}>
            {t('Approve proposal')}
          </Button>
        </div>
      )}
    </li>
  )
}

const Reason = ({ proposal: { reason } }: { proposal: Proposal }) =>
  reason && <p className="mt-1 wrap-anywhere text-ink-11">{t('Reason: {reason}', { reason })}</p>

/** Whom it concerns, and the values before and after. */
function What({ proposal }: { proposal: Proposal }) {
  return (
    <>
      <Subject proposal={proposal} />
      <Differences {...withoutName(proposal)} />
    </>
  )
}

/** The account in it is a link to its page. */
function Subject({ proposal }: { proposal: Proposal }) {
  const subject = subjectOf(proposal)
  if (!subject) return null
  const { userId } = proposal
  const account = accountOf(proposal)
  const isLinked = userId !== undefined && account !== undefined && subject.startsWith(account)
  return (
    <p className="exact wrap-anywhere">
      {isLinked && <InlinePersonLink id={userId} email={account} />}
      {isLinked ? subject.slice(account.length) : subject}
    </p>
  )
}

/** Single values without their name, which the title has; records as they are, so that a value meets the one before it. */
function withoutName({ before, after }: Proposal): Pick<Proposal, 'before' | 'after'> {
  const [old, now] = [readSingle(before), readSingle(after)]
  return old === undefined || now === undefined ? { before, after } : { before: old, after: now }
}

/** Undefined if a record has further values. */
function readSingle(record: unknown): unknown {
  const { value, cap, ...rest } = (record ?? {}) as { value?: unknown; cap?: unknown }
  return Object.keys(rest).length > 0 ? undefined : (value ?? cap ?? null)
}

interface DialogProps {
  proposal: Proposal
  onClose: () => void
}

function ApproveDialog({ proposal, onClose }: DialogProps) {
  const refreshOffice = useRefreshOffice()
  return (
    <ProvenDialog
      title={titleOf(proposal)}
      description={t('{name} has proposed this. It is done as soon as you approve it.', { name: proposal.proposedBy })}
      action={t('Approve proposal')}
      run={async (proof) => {
        await api(approveProposal, { params: { id: proposal.id }, body: { ...proof, hash: proposal.hash } })
        // It may have sold nodes or changed a setting.
        void refreshOffice()
      }}
      success={{ title: t('Proposal approved') }}
      changes={[listProposals.path]}
      overCodes={['proposal_closed', 'proposal_outdated']}
      failure={t('Not approved')}
      onClose={onClose}
    >
      <div className="rounded-input border border-ink-5 px-3.5 py-3 text-14">
        <What proposal={proposal} />
        <Reason proposal={proposal} />
      </div>
    </ProvenDialog>
  )
}

function RejectDialog({ proposal, onClose }: DialogProps) {
  const reject = useRowDecision({
    decide: (reason: string) => api(rejectProposal, { params: { id: proposal.id }, body: { reason } }),
    done: t('Proposal rejected'),
    failed: t('Not rejected'),
    refreshes: [listProposals.path],
    onSettled: onClose,
  })
  return (
    <ReasonDialog
      about={`reject proposal ${proposal.id}`}
      title={t('Reject this proposal?')}
      description={t('{title}. {name} reads your reason.', { title: titleOf(proposal), name: proposal.proposedBy })}
      keepLabel={t('Keep it open')}
      label={t('Reject proposal')}
      pendingLabel={t('Saving...')}
      isDanger
      isPending={reject.isPending}
      onDecide={(reason) => reject.mutate(reason)}
      onClose={onClose}
    />
  )
}

function WithdrawDialog({ proposal, onClose }: DialogProps) {
  const withdraw = useRowDecision({
    decide: () => api(withdrawProposal, { params: { id: proposal.id } }),
    done: t('Proposal withdrawn'),
    failed: t('Not withdrawn'),
    refreshes: [listProposals.path],
    onSettled: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Withdraw this proposal?')}
      description={t('{title}. Nothing happens, and it can be proposed again.', { title: titleOf(proposal) })}
      confirmLabel={t('Withdraw proposal')}
      dismissLabel={t('Keep it open')}
      isPending={withdraw.isPending}
      onConfirm={() => withdraw.mutate(undefined)}
    />
  )
}
