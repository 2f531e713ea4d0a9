import { type FormEvent, useId, useRef, useState } from 'react'
import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { t } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { readTransactionHash } from '#pwa/lib/readTransactionHash.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { findHashProblem } from '../findHashProblem.ts'
import { formatXcr } from '../formatXcr.ts'
import { HashField } from '../HashField.tsx'
import { ApprovalNote, type ApprovalNeed } from '../proposals/ApprovalNote.tsx'
import { useDialogDraft } from '../useDialogDraft.ts'
import { useReason } from '../useReason.tsx'
import { Bilingual } from './Bilingual.tsx'
import type { Decision } from './decisions.ts'
import { HoldNotice } from './HoldNotice.tsx'
import { formatKoreanTime } from './formatKoreanTime.ts'
import { formatTime, nameZone, zoneOf } from '../zone/officeZone.ts'
import { reviewReasons } from './reviewReasons.ts'
import { useDecision } from './useDecision.ts'

interface DecisionDialogProps {
  decision: Decision
  withdrawal: AdminWithdrawal
  onClose: () => void
}

/** Asks for confirmation, names the withdrawal, and takes the decision's input: a note, a reason, or a hash. */
export function DecisionDialog({ decision, withdrawal, onClose }: DecisionDialogProps) {
  const id = useId()
  const [hash, setHash] = useDialogDraft(`hash: ${decision} withdrawal ${withdrawal.id}`, '')
  const [problem, setProblem] = useState<string>()
  const hashField = useRef<HTMLInputElement>(null)
  const decide = useDecision({ decision, withdrawal, onClosed: onClose })
  const now = useServerTime()
  const { title, description, isOptional, hint, confirm, pending } = decisionTexts[decision](withdrawal, now)
  // The hold's notice says the same.
  const isExplainedByHold =
    withdrawal.reviewReason === 'recent_change' && withdrawal.heldUntil !== null && withdrawal.heldUntil > now
  const reason = useReason({
    about: `${decision} withdrawal ${withdrawal.id}`,
    isOptional,
    hint,
    ...(isOptional && { label: t('Note (optional)') }),
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const found = decision === 'markPaid' ? findHashProblem(hash) : undefined
    setProblem(found)
    if (found) return hashField.current?.focus()
    const taken = reason.take()
    if (taken) decide.mutate({ ...taken, hash: readTransactionHash(hash) })
  }
  return (
    <Dialog
      open
      isWide
      isHeld={decide.isPending}
      onOpenChange={onClose}
      title={<span className="wrap-anywhere">{title}</span>}
      description={
        <>
          {description}
          <ApprovalNote need={needOf(decision, withdrawal)} />
        </>
      }
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={decide.isPending}>
            {t('Cancel')}
          </Button>
          <Button
            type="submit"
            form={id}
            variant={decision === 'reject' ? 'danger' : 'primary'}
            isPending={decide.isPending}
            pendingLabel={pending}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <WithdrawalDetails withdrawal={withdrawal} />
      {withdrawal.reviewReason && !isExplainedByHold && (
        <p className="mt-3 text-14 text-ink-11">
          <strong className="font-strong">{t('Reason for review.')}</strong> {wordOf(reviewReasons.long, withdrawal.reviewReason)}
        </p>
      )}
      <div className="mt-3 empty:hidden">
        <HoldNotice withdrawal={withdrawal} />
      </div>
      <form id={id} noValidate onSubmit={handleSubmit} className="mt-4 flex flex-col gap-4">
        {decision === 'markPaid' && (
          <HashField
            ref={hashField}
            label={t('Transaction hash')}
            value={hash}
            error={problem}
            onChange={(text) => {
              setHash(text)
              setProblem(undefined)
            }}
          />
        )}
        {reason.field}
      </form>
    </Dialog>
  )
}

const WithdrawalDetails = ({
  withdrawal: { amount, feeAmount, toAddress, createdAt },
}: Pick<DecisionDialogProps, 'withdrawal'>) => (
  <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5 rounded-input border border-ink-5 px-3.5 py-2.5 text-14 [&_dt]:text-ink-9">
    <dt>{t('Amount')}</dt>
    <dd className="figures text-right">{formatXcr(amount)}</dd>
    <dt>{t('Wallet receives')}</dt>
    <dd className="figures text-right font-strong">{formatXcr(amount - feeAmount)}</dd>
    <dt>{t('Wallet')}</dt>
    <dd className="-my-2 flex items-center justify-end gap-1">
      <span translate="no" className="exact min-w-0 text-right font-mono text-12">
        {toAddress}
      </span>
      <span className="-mr-3">
        <CopyButton value={toAddress} what={t('wallet address')} />
      </span>
    </dd>
    <dt>
      <Bilingual ko="요청 일시" en="Requested" />
    </dt>
    <dd lang="ko" className="figures text-right">
      {formatKoreanTime(createdAt, zoneOf('Asia/Seoul'))} {nameZone(zoneOf('Asia/Seoul'))}
    </dd>
  </dl>
)

/** The limit also counts other withdrawals of the account, which only the server knows. */
const needOf = (decision: Decision, { reviewReason }: AdminWithdrawal): ApprovalNeed =>
  decision === 'reject' ? 'no' : reviewReason === 'above_limit' ? 'yes' : 'maybe'

interface DecisionTexts {
  title: string
  description: string
  /** Whether the reason may be left out. */
  isOptional?: boolean
  hint?: string
  confirm: string
  pending: string
}

const decisionTexts: Record<Decision, (withdrawal: AdminWithdrawal, now: Date) => DecisionTexts> = {
  approve: ({ amount, userEmail, hasAttempts, heldUntil, reviewReason }, now) => ({
    title: t('Approve {amount} of {email}?', { amount: formatXcr(amount), email: userEmail }),
    description: t(
      hasAttempts
        ? 'A transaction for it is already signed and will be sent again. It can never be paid twice.'
        : "The payout wallet will send it. This can't be undone.",
    ),
    ...(heldUntil && heldUntil > now
      ? { hint: t('The withdrawal is on hold until {time}. State why it is paid earlier.', { time: formatTime(heldUntil) }) }
      : { isOptional: reviewReason !== 'above_limit' }),
    confirm: t('Approve withdrawal'),
    pending: t('Approving...'),
  }),
  reject: ({ amount, userEmail, hasAttempts }) => ({
    title: t('Reject {amount} of {email}?', { amount: formatXcr(amount), email: userEmail }),
    description: t(
      hasAttempts
        ? 'A transaction for it is already signed. Its nonce is used up first, then the XCR goes back to the account.'
        : "The full amount goes back to the user's account.",
    ),
    confirm: t('Reject withdrawal'),
    pending: t('Rejecting...'),
  }),
  markPaid: ({ amount, userEmail, status }) => ({
    title: t('Mark {amount} of {email} as paid?', { amount: formatXcr(amount), email: userEmail }),
    description: t(
      status === 'pending'
        ? 'Use this if you paid it from another wallet. We look up the transfer on the chain. Token, wallet and amount must match exactly. A pending withdrawal can be marked only while payouts are stopped.'
        : 'Use this if you paid it from another wallet. We look up the transfer on the chain. Token, wallet and amount must match exactly.',
    ),
    confirm: t('Mark as paid'),
    pending: t('Looking it up...'),
  }),
}
