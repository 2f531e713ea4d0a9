import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { assignDeposit } from '#shared/contract/admin/deposits.ts'
import type { Input } from '#shared/contract/endpoint.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import type { Objection } from '#shared/objections.ts'
import { objectToReceived } from '#shared/objectionTexts.ts'
import { email as emailRule } from '#shared/email.ts'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Segmented } from '#pwa/ui/Segmented.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { countNodes } from '../countNodes.ts'
import { decide } from '../proof/decide.ts'
import { ApprovalNote, type ApprovalNeed } from '../proposals/ApprovalNote.tsx'
import { readNodeCount } from '../readNodeCount.ts'
import { useDialogDraft } from '../useDialogDraft.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { nameObjections, Objections, objectionsOf } from './Objections.tsx'
import { OpenPurchases } from './OpenPurchases.tsx'
import { type DecidedDeposit, nameDeposit, namePurchase, formatUsdt, withOthers } from './purchaseWords.ts'
import { openPurchasesQuery } from './queries.ts'
import { ReasonField } from '../ReasonField.tsx'

interface AssignDepositDialogProps {
  deposit: DecidedDeposit
  /** The purchase that it is attached to, if that is in review. */
  purchase: Purchase | undefined
  onClose: () => void
}

type Assignment = Input<typeof assignDeposit>['body']
/** What the confirmation says, and what is sent after it. */
interface Asked {
  sentence: string
  need: ApprovalNeed
  body: Assignment
  /** Objections that the sentence names. */
  named: Objection[]
}
type FieldName = 'email' | 'quantity' | 'purchase' | 'note'

/** Assigns a payment in review to an account, which buys nodes, or to a purchase in review. */
export function AssignDepositDialog({ deposit, purchase, onClose }: AssignDepositDialogProps) {
  const [target, setTarget] = useState<'account' | 'purchase'>(purchase ? 'purchase' : 'account')
  const [typedEmail, setEmail] = useDialogDraft<string | undefined>(`email: assign deposit ${deposit.id}`, undefined)
  const email = typedEmail ?? purchase?.user.email ?? deposit.probableUserEmail ?? ''
  const [typedQuantity, setQuantity] = useDialogDraft<string | undefined>(`quantity: assign deposit ${deposit.id}`, undefined)
  const quantity = typedQuantity ?? String(deposit.affordableNodes || '')
  const [chosen, setChosen] = useState(purchase?.id ?? null)
  const [note, setNote] = useDialogDraft(`note: assign deposit ${deposit.id}`, '')
  const [problem, setProblem] = useState<{ field: FieldName; text: string }>()
  const [asked, setAsked] = useState<Asked>()
  const [objections, setObjections] = useState(objectionsOf(undefined))
  const isOverriding = objections.length > 0
  const formId = useId()

  const account = emailRule.safeParse(email).data
  const open = useQuery({ ...openPurchasesQuery(account ?? ''), enabled: target === 'purchase' && account !== undefined })
  const candidates = open.data ?? (purchase && account === purchase.user.email ? [purchase] : [])
  const nodes = readNodeCount(quantity)
  const paidFor = candidates.find(({ id }) => id === chosen)

  const assign = useRowDecision({
    decide: (body: Assignment, options) =>
      decide(assignDeposit, { params: { id: deposit.id }, body: { ...body, ...withOthers(deposit) } }, options),
    done: t('Payment Assigned'),
    failed: t('Failed to assign payment.'),
    onSettled: onClose,
    onRefused(error) {
      const found = objectionsOf(error)
      setObjections(found)
      if (found.length === 0) setAsked(undefined)
    },
  })
  function dismiss() {
    setAsked(undefined)
    setObjections([])
  }

  function findProblem(): typeof problem {
    if (!account) return { field: 'email', text: t('Please enter a valid email') }
    if (target === 'purchase' && !paidFor) return { field: 'purchase', text: t('Please choose a purchase.') }
    if (target === 'account' && !nodes) return { field: 'quantity', text: t('Please enter a quantity.') }
    if (!note.trim()) return { field: 'note', text: t('Please enter a note.') }
    return undefined
  }
  function handleSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const found = findProblem()
    setProblem(found)
    if (found)
      return event.currentTarget.querySelector<HTMLElement>(`[data-field="${found.field}"] :is(input, textarea)`)?.focus()
    const entered = { account: account!, note: note.trim() }
    setAsked(paidFor && target === 'purchase' ? askForPurchase(deposit, paidFor, entered) : askForNodes(deposit, nodes!, entered))
  }
  const problemOf = (field: FieldName) => (problem?.field === field ? problem.text : undefined)
  const name = nameDeposit(deposit)

  return (
    <>
      <Dialog
        open
        isHeld={assign.isPending}
        onOpenChange={onClose}
        title={<span className="[overflow-wrap:anywhere]">{t('Assign the {payment}', { payment: name })}</span>}
        description={t('The full amount is used, whatever it pays for.')}
        actions={
          <>
            <Button variant="secondary" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" form={formId}>
              {t('Assign')}
            </Button>
          </>
        }
      >
        <form
          id={formId}
          noValidate
          onSubmit={handleSubmit}
          onChange={() => setProblem(undefined)}
          className="flex flex-col gap-4"
        >
          <Segmented
            label={t('What it pays for')}
            value={target}
            onChange={setTarget}
            options={[
              { value: 'account', label: t('New purchase') },
              { value: 'purchase', label: t('Waiting purchase') },
            ]}
          />
          <div data-field="email">
            <TextField
              label={t('Email of the account')}
              inputMode="email"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={254}
              value={email}
              onChange={(event) => setEmail(event.target.value)}
              hint={
                deposit.probableUserEmail
                  ? t('Probably from {email}.', { email: deposit.probableUserEmail })
                  : t('No user has this wallet.')
              }
              error={problemOf('email')}
            />
          </div>
          {target === 'account' ? (
            <div data-field="quantity">
              <TextField
                label={t('Quantity')}
                inputMode="numeric"
                autoComplete="off"
                maxLength={7}
                value={quantity}
                onChange={(event) => setQuantity(event.target.value.trim())}
                hint={t('{amount} pays for {nodes} at the price when its block was mined.', {
                  amount: formatUsdt(deposit.amount),
                  nodes: countNodes(deposit.affordableNodes),
                })}
                error={problemOf('quantity')}
                className="figures"
              />
            </div>
          ) : (
            <div data-field="purchase">
              <OpenPurchases
                account={account}
                purchases={candidates}
                error={open.error}
                isLoading={open.isLoading}
                chosen={chosen}
                onChoose={setChosen}
                problem={problemOf('purchase')}
              />
            </div>
          )}
          <div data-field="note">
            <ReasonField label={t('Note')} value={note} onChange={setNote} error={problemOf('note')} />
          </div>
        </form>
      </Dialog>
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={dismiss}
        title={<span className="[overflow-wrap:anywhere]">{t('Assign the {payment}?', { payment: name })}</span>}
        description={
          <>
            <span className="[overflow-wrap:anywhere]">{asked?.sentence}</span>
            {asked && <ApprovalNote need={isOverriding ? 'yes' : asked.need} />}
          </>
        }
        confirmLabel={isOverriding ? t('Assign anyway') : t('Assign')}
        pendingLabel={t('Assigning...')}
        isHarmless={!isOverriding}
        isPending={assign.isPending}
        onConfirm={() =>
          asked && assign.mutate({ ...asked.body, ...(isOverriding ? nameObjections(objections) : { overridden: asked.named }) })
        }
      >
        <Objections objections={objections} />
      </ConfirmDialog>
    </>
  )
}

type EnteredFields = { account: string; note: string }

function askForPurchase(deposit: DecidedDeposit, paidFor: Purchase, { account, note }: EnteredFields): Asked {
  const need = needOf(deposit, account)
  const isMore = deposit.amount > paidFor.purchaseAmountUsdt
  return {
    sentence: describeUse(deposit, paidFor),
    named: isMore ? objectToReceived(deposit.amount, paidFor.purchaseAmountUsdt) : [],
    // Earlier payments for it may make up the rest.
    need: deposit.amount < paidFor.purchaseAmountUsdt && need === 'no' ? 'maybe' : need,
    body: { purchaseId: paidFor.id, note },
  }
}

const askForNodes = (deposit: DecidedDeposit, quantity: number, { account, note }: EnteredFields): Asked => ({
  sentence: t("{nodes} will be allocated to {email}. This can't be undone.", { nodes: countNodes(quantity), email: account }),
  need: quantity > deposit.affordableNodes ? 'yes' : needOf(deposit, account),
  named: [],
  body: { userEmail: account, quantity, note },
})

/** Earlier parts are used too, unless all together are more than the purchase costs. */
function describeUse({ amount, purchaseId }: DecidedDeposit, paidFor: Purchase): string {
  const purchase = namePurchase(paidFor)
  const rest = amount - paidFor.purchaseAmountUsdt
  if (rest > 0n)
    return t("It pays for the {purchase}, and the rest of {amount} buys nothing. This can't be undone.", {
      purchase,
      amount: formatUsdt(rest),
    })
  const earlier = (paidFor.payment?.received ?? 0n) - (purchaseId === paidFor.id ? amount : 0n)
  return earlier > 0n && earlier + rest <= 0n
    ? t("It pays for the {purchase}, together with what its wallet has paid for it before. This can't be undone.", { purchase })
    : t("It pays for the {purchase}. This can't be undone.", { purchase })
}

/** By the account that gets it. Whose wallet sent a payment of nobody, only the server knows. */
function needOf({ mayBeRefunded, probableUserEmail, provers, reporters = [] }: DecidedDeposit, account: string): ApprovalNeed {
  const owner = provers?.[0]?.email
  if (mayBeRefunded || (owner ?? account) !== account) return 'yes'
  if (owner === undefined && reporters.some(({ email }) => email !== account)) return 'yes'
  if (probableUserEmail === null) return 'maybe'
  return probableUserEmail === account ? 'no' : 'yes'
}
