import { type FormEvent, useId, useRef, useState } from 'react'
import type { Person } from '#shared/contract/admin/person.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { DueWarning, needsApproval, needsReason } from '../bonus/DueWarning.tsx'
import { useGrantBonus } from '../bonus/useGrantBonus.ts'
import { countBonusNodes } from '../countNodes.ts'
import { ApprovalNote } from '../proposals/ApprovalNote.tsx'
import { readNodeCount } from '../readNodeCount.ts'
import { useDialogDraft } from '../useDialogDraft.ts'
import { useReason } from '../useReason.tsx'

/** Grants bonus nodes to one account, by default those that are due. */
export function GrantBonusDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const due = person.nodes.bonusPending
  const formId = useId()
  const field = useRef<HTMLInputElement>(null)
  // What is due may change until the login after the session has ended: only what was typed is kept.
  const [typed, setTyped] = useDialogDraft<string | undefined>(`quantity: bonus of ${person.id}`, undefined)
  const text = typed ?? String(Math.max(due, 1))
  const [isInvalid, setInvalid] = useState(false)
  const [refused, setRefused] = useState<Error>()
  const grant = useGrantBonus({ onSettled: onClose, onRefused: setRefused })
  const quantity = readNodeCount(text)
  const reason = useReason({ about: `bonus of ${person.id}`, isOptional: !needsReason({ quantity, due }) })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (!quantity) {
      setInvalid(true)
      return field.current?.focus()
    }
    const taken = reason.take()
    if (taken) grant.mutate({ userEmail: person.email, quantity, due, ...(taken.reason && { notes: taken.reason }) })
  }
  return (
    <Dialog
      open
      isHeld={grant.isPending}
      onOpenChange={onClose}
      title={
        <span className="wrap-anywhere">
          {t('Grant {nodes} to {email}?', { nodes: countBonusNodes(quantity ?? 0), email: person.email })}
        </span>
      }
      description={
        <>
          {t("They are allocated immediately and deducted from the supply. This can't be undone.")}
          <ApprovalNote need={needsApproval({ quantity, due })} />
        </>
      }
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={grant.isPending}>
            {t('Cancel')}
          </Button>
          <Button type="submit" form={formId} isPending={grant.isPending} pendingLabel={t('Granting...')}>
            {t('Grant bonus')}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={handleSubmit} className="flex flex-col gap-4">
        {refused && (
          <Notice tone="error" title={failureTitle(refused, t('Failed to grant bonus.'))}>
            {errorText(refused, t('Nothing was granted. Please try again.'))}
          </Notice>
        )}
        <TextField
          ref={field}
          label={t('Quantity')}
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          autoComplete="off"
          className="figures"
          hint={t('Due: {count}', { count: due })}
          error={isInvalid && !quantity ? t('Please enter a whole number of at least 1.') : undefined}
          value={text}
          onChange={(event) => {
            setTyped(event.target.value)
            setInvalid(false)
            setRefused(undefined)
          }}
        />
        <DueWarning quantity={quantity} due={due} />
        {reason.field}
      </form>
    </Dialog>
  )
}
