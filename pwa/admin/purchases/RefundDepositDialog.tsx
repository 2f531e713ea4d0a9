import { type FormEvent, useId, useRef, useState } from 'react'
import { refundDeposit } from '#shared/contract/admin/deposits.ts'
import { ApiError } from '#shared/contract/client.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { readTransactionHash } from '#pwa/lib/readTransactionHash.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { findHashProblem } from '../findHashProblem.ts'
import { HashField } from '../HashField.tsx'
import { useDialogDraft } from '../useDialogDraft.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { type DecidedDeposit, nameDeposit, formatUsdt, withOthers } from './purchaseWords.ts'
import { ReasonField } from '../ReasonField.tsx'

interface Refund {
  transactionHash: `0x${string}`
  note: string
  reason?: string
}

/** For a field that appears because it was missing. */
const focusIt = (field: HTMLElement | null) => field?.focus()

/** Records the transaction that refunded a payment; the server verifies it on the chain. */
export function RefundDepositDialog({ deposit, onClose }: { deposit: DecidedDeposit; onClose: () => void }) {
  const [hash, setHash] = useDialogDraft(`hash: refund deposit ${deposit.id}`, '')
  const [note, setNote] = useDialogDraft(`note: refund deposit ${deposit.id}`, '')
  const [reason, setReason] = useDialogDraft<string | undefined>(`reason: refund deposit ${deposit.id}`, undefined)
  const [problem, setProblem] = useState<{ field: 'hash' | 'note'; text: string }>()
  const [refused, setRefused] = useState<Error>()
  const hashField = useRef<HTMLInputElement>(null)
  const noteField = useRef<HTMLTextAreaElement>(null)
  const formId = useId()
  const refund = useRowDecision({
    decide: (body: Refund, options) =>
      api(refundDeposit, { params: { id: deposit.id }, body: { ...body, ...withOthers(deposit) } }, options),
    done: t('Payment Refunded'),
    failed: t('Failed to mark as refunded.'),
    onSettled: onClose,
    onRefused: (error) => {
      setRefused(error)
      if (error instanceof ApiError && error.code === 'reason_required') setReason(reason ?? '')
    },
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const found = findHashProblem(hash)
    if (found) {
      setProblem({ field: 'hash', text: found })
      return hashField.current?.focus()
    }
    if (!note.trim()) {
      setProblem({ field: 'note', text: t('Please enter a note.') })
      return noteField.current?.focus()
    }
    setRefused(undefined)
    refund.mutate({
      transactionHash: readTransactionHash(hash)!,
      note: note.trim(),
      ...(reason?.trim() && { reason: reason.trim() }),
    })
  }

  return (
    <Dialog
      open
      isHeld={refund.isPending}
      onOpenChange={onClose}
      title={
        <span className="[overflow-wrap:anywhere]">
          {t('Mark the {payment} as refunded?', { payment: nameDeposit(deposit) })}
        </span>
      }
      description={t(
        "First send the USDT back from your own wallet, {amount} at most. We then look up the transaction on the chain. This can't be undone.",
        { amount: formatUsdt(deposit.amount) },
      )}
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={refund.isPending}>
            {t('Cancel')}
          </Button>
          <Button type="submit" form={formId} isPending={refund.isPending} pendingLabel={t('Looking it up...')}>
            {t('Mark refunded')}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={handleSubmit} className="flex flex-col gap-4">
        <div>
          <p className="text-14 font-strong text-ink-11">{t('Refund to')}</p>
          <p className="flex items-center gap-1">
            <span translate="no" className="exact min-w-0 font-mono text-14">
              {deposit.sender}
            </span>
            <CopyButton value={deposit.sender} what={t("sender's address")} />
          </p>
        </div>
        {deposit.probableUserEmail === null && (
          <Notice tone="warning" title={t('No user has this wallet')}>
            {t(
              'If it belongs to an exchange, what you send there does not reach the person who paid. Assign the payment to their account instead.',
            )}
          </Notice>
        )}
        {(deposit.others ?? []).length > 0 && (
          <p className="text-14 text-ink-11">{t('Each payment needs its own transfer in that transaction.')}</p>
        )}
        <HashField
          ref={hashField}
          label={t('Transaction hash of the refund')}
          value={hash}
          onChange={(text) => {
            setHash(text)
            setProblem(undefined)
            setRefused(undefined)
          }}
          error={problem?.field === 'hash' ? problem.text : undefined}
        />
        <ReasonField
          ref={noteField}
          label={t('Note')}
          value={note}
          onChange={(text) => {
            setNote(text)
            setProblem(undefined)
          }}
          error={problem?.field === 'note' ? problem.text : undefined}
        />
        {reason !== undefined && (
          <ReasonField
            ref={focusIt}
            label={t('Reason for the lower amount')}
            value={reason}
            onChange={setReason}
            hint={t('The owner of the payment is notified.')}
          />
        )}
        {refused && (
          <Notice tone="error" title={t('Refused')}>
            {errorText(refused, t('The transaction could not be checked. Nothing was changed.'))}
          </Notice>
        )}
      </form>
    </Dialog>
  )
}
