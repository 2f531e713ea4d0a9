import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { email as emailRule } from '#shared/email.ts'
import { NODES_PER_BONUS } from '#shared/sale.ts'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { countBonusNodes } from '../countNodes.ts'
import { ApprovalNote } from '../proposals/ApprovalNote.tsx'
import { ProposedChange } from '../proposals/ProposedChange.tsx'
import { readNodeCount } from '../readNodeCount.ts'
import { useDialogDraft } from '../useDialogDraft.ts'
import { useReason } from '../useReason.tsx'
import { DueWarning, needsApproval, needsReason } from './DueWarning.tsx'
import { bonusOfQuery } from './queries.ts'
import { type BonusGrant, useGrantBonus } from './useGrantBonus.ts'

const blank = { email: '', quantity: '1' }

/** Why what is due is not shown. */
const lookups = {
  none: msg('No user has this email.'),
  unknown: msg('Too many emails contain this one to look up what is due.'),
}

/** Grants any number of bonus nodes to one account. */
export function GrantBonusForm() {
  const [fields, setFields] = useDialogDraft('bonus', blank)
  const [isInvalid, setInvalid] = useState(false)
  const [asked, setAsked] = useState<BonusGrant>()
  const [refused, setRefused] = useState<Error>()
  const emailField = useRef<HTMLInputElement>(null)
  const quantityField = useRef<HTMLInputElement>(null)
  const grant = useGrantBonus({
    onSettled: () => {
      setAsked(undefined)
      setFields(blank)
      reason.clear()
    },
    onRefused: (error) => {
      setAsked(undefined)
      setRefused(error)
    },
  })

  const bind = (field: keyof typeof blank) => ({
    value: fields[field],
    onChange: (event: { target: { value: string } }) => {
      setFields({ ...fields, [field]: event.target.value })
      setInvalid(false)
      setRefused(undefined)
    },
  })
  const userEmail = emailRule.safeParse(fields.email).data
  const quantity = readNodeCount(fields.quantity)
  const { data: bonus } = useQuery({ ...bonusOfQuery(userEmail ?? ''), enabled: userEmail !== undefined })
  const due = typeof bonus === 'object' ? bonus.bonusPending : undefined
  const reason = useReason({ about: 'bonus', isOptional: !needsReason({ quantity, due }) })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (userEmail && quantity) {
      const taken = reason.take()
      if (taken)
        setAsked({ userEmail, quantity, ...(due !== undefined && { due }), ...(taken.reason && { notes: taken.reason }) })
      return
    }
    setInvalid(true)
    toast({ title: t('Bonus Not Granted'), description: t('enter a valid user ID and quantity'), destructive: true })
    ;(userEmail ? quantityField : emailField).current?.focus()
  }

  return (
    <Card className="desk:p-4!">
      <CardHeader title={t('Manual bonus grant')} />
      <ProposedChange actions={['bonus.assign', 'bonus.grant_due']} />
      <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-4">
        {refused && (
          <Notice tone="error" title={failureTitle(refused, t('Failed to grant bonus.'))}>
            {errorText(refused, t('Nothing was granted. Please try again.'))}
          </Notice>
        )}
        <TextField
          ref={emailField}
          label={t('User email')}
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={254}
          placeholder="name@example.com"
          hint={typeof bonus === 'string' ? translate(lookups[bonus]) : undefined}
          error={isInvalid && !userEmail ? t('enter a valid user ID and quantity') : undefined}
          {...bind('email')}
        />
        <TextField
          ref={quantityField}
          label={t('Quantity')}
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          autoComplete="off"
          className="figures"
          hint={due === undefined ? undefined : t('Due: {count}', { count: due })}
          error={isInvalid && userEmail && !quantity ? t('enter a valid user ID and quantity') : undefined}
          {...bind('quantity')}
        />
        <DueWarning quantity={quantity} due={due} />
        {reason.field}
        <Button type="submit">{t('Grant bonus')}</Button>
      </form>
      <Guidance />
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={() => setAsked(undefined)}
        title={
          <span className="[overflow-wrap:anywhere]">
            {t('Grant {nodes} to {email}?', { nodes: countBonusNodes(asked?.quantity ?? 0), email: asked?.userEmail ?? '' })}
          </span>
        }
        description={
          <>
            {t("They are allocated immediately and deducted from the supply. This can't be undone.")}
            <ApprovalNote need={needsApproval({ quantity: asked?.quantity, due })} />
          </>
        }
        confirmLabel={t('Grant bonus')}
        pendingLabel={t('Granting...')}
        isHarmless
        isPending={grant.isPending}
        onConfirm={() => asked && grant.mutate(asked)}
      />
    </Card>
  )
}

const Guidance = () => (
  <section aria-label={t('Guidance')} className="mt-5 border-t border-ink-5 pt-4 text-14 text-ink-10">
    <ul className="flex list-disc flex-col gap-1.5 pl-4">
      <li>
        {t(
          'One bonus node is due for every {count} paid nodes: 10 gives 1, 20 gives 2. Bonus nodes do not count toward the next one.',
          { count: NODES_PER_BONUS },
        )}
      </li>
      <li>{t('Bonuses are granted once a week. “Grant all due” grants every pending bonus.')}</li>
      <li>{t('This form can grant any quantity within the supply, even more than is due. It counts as received.')}</li>
      <li>{t('A grant appears under Purchases with an amount of zero. Its nodes earn from the next day.')}</li>
    </ul>
  </section>
)
