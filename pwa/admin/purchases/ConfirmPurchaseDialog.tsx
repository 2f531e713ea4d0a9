import { type FormEvent, useId, useRef, useState } from 'react'
import { manualConfirmPurchase } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import type { Objection } from '#shared/objections.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { readTransactionHash } from '#pwa/lib/readTransactionHash.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { decide } from '../proof/decide.ts'
import { ApprovalNote } from '../proposals/ApprovalNote.tsx'
import { findHashProblem } from '../findHashProblem.ts'
import { HashField } from '../HashField.tsx'
import { useDialogDraft } from '../useDialogDraft.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { nameObjections, Objections, objectionsOf } from './Objections.tsx'
import { namePurchase, formatUsdt } from './purchaseWords.ts'
import { ReasonField } from '../ReasonField.tsx'

interface Confirmation {
  transactionHash: `0x${string}`
  overridden: Objection[]
  notes?: string
}

/** Confirms a pending purchase by its transaction hash, which the server verifies on the chain. */
export function ConfirmPurchaseDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const [hash, setHash] = useDialogDraft(`hash: confirm purchase ${purchase.id}`, '')
  const [note, setNote] = useDialogDraft(`note: confirm purchase ${purchase.id}`, '')
  const [problem, setProblem] = useState<{ field: 'hash' | 'note'; text: string }>()
  const [refused, setRefused] = useState<Error>()
  const [isAsking, setAsking] = useState(false)
  const hashField = useRef<HTMLInputElement>(null)
  const noteField = useRef<HTMLTextAreaElement>(null)
  const formId = useId()
  const confirm = useRowDecision({
    decide: (body: Confirmation, options) => decide(manualConfirmPurchase, { params: { id: purchase.id }, body }, options),
    done: t('Purchase Confirmed'),
    failed: t('failed to confirm purchase'),
    onSettled: onClose,
    onRefused: (error) => {
      setAsking(false)
      setRefused(error)
    },
  })
  const objections = objectionsOf(refused)
  const mayOverride = objections.length > 0
  const isPlain = confirm.isPending && confirm.variables.overridden.length === 0

  function complain(field: 'hash' | 'note', text: string) {
    setProblem({ field, text })
    toast({ title: t('Not Confirmed'), description: text, destructive: true })
    ;(field === 'hash' ? hashField : noteField).current?.focus()
  }
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const found = findHashProblem(hash)
    if (found) return complain('hash', found)
    setRefused(undefined)
    confirm.mutate({ transactionHash: readTransactionHash(hash)!, ...nameObjections([]) })
  }
  function handleOverride() {
    if (!note.trim()) return complain('note', t('Please enter a note explaining why.'))
    setAsking(true)
  }

  return (
    <>
      <Dialog
        open
        isHeld={confirm.isPending}
        onOpenChange={onClose}
        title={<span className="[overflow-wrap:anywhere]">{t('Confirm {purchase}', { purchase: namePurchase(purchase) })}</span>}
        description={
          <>
            {t(
              "We look up the transaction on the chain: {amount} from the buyer's wallet to the deposit address. Its nodes are then allocated. This can't be undone.",
              { amount: formatUsdt(purchase.purchaseAmountUsdt) },
            )}
            <ApprovalNote need="maybe" />
          </>
        }
        actions={
          <>
            <Button variant="secondary" onClick={onClose} disabled={confirm.isPending}>
              {t('Back')}
            </Button>
            <Button
              type="submit"
              form={formId}
              isPending={isPlain}
              disabled={confirm.isPending}
              pendingLabel={t('Looking it up...')}
            >
              {t(refused ? 'Look up again' : 'Manual confirm')}
            </Button>
          </>
        }
      >
        <form id={formId} noValidate onSubmit={handleSubmit} className="flex flex-col gap-4">
          <HashField
            ref={hashField}
            label={t('Transaction hash')}
            value={hash}
            // What is refused must be what was looked up.
            readOnly={confirm.isPending}
            onChange={(text) => {
              setHash(text)
              setProblem(undefined)
              setRefused(undefined)
            }}
            error={problem?.field === 'hash' ? problem.text : undefined}
          />
          <Objections objections={objections} />
          {refused && !mayOverride && (
            <Notice tone="error" title={t('Refused')}>
              {errorText(refused, t('The transaction could not be checked. Nothing was changed.'))}
            </Notice>
          )}
        </form>
        {mayOverride && (
          <div className="mt-4 flex flex-col gap-3 border-t border-ink-5 pt-4">
            <ReasonField
              ref={noteField}
              label={t('Reason for override')}
              value={note}
              onChange={(text) => {
                setNote(text)
                setProblem(undefined)
              }}
              error={problem?.field === 'note' ? problem.text : undefined}
            />
            <Button variant="danger" onClick={handleOverride} disabled={confirm.isPending} className="desk:self-start">
              {t('Confirm anyway')}
            </Button>
          </div>
        )}
      </Dialog>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={
          <span className="[overflow-wrap:anywhere]">
            {t('Confirm the {purchase} anyway?', { purchase: namePurchase(purchase) })}
          </span>
        }
        description={
          <>
            {objections.map(({ message }) => (
              <strong key={message} className="mb-2 block font-strong [overflow-wrap:anywhere] text-ink-12">
                {translateServerText(message)}
              </strong>
            ))}{' '}
            {t("Its nodes are allocated all the same. This can't be undone and is recorded with your name and note.")}
            <ApprovalNote />
          </>
        }
        confirmLabel={t('Confirm anyway')}
        pendingLabel={t('Confirming...')}
        isPending={confirm.isPending}
        onConfirm={() =>
          confirm.mutate({ transactionHash: readTransactionHash(hash)!, ...nameObjections(objections), notes: note.trim() })
        }
      />
    </>
  )
}
