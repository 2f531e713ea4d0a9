import { ignoreDeposit, restoreNodes } from '#shared/contract/admin/deposits.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { type DecidedDeposit, nameDeposit, withOthers } from './purchaseWords.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'

const ignore = (deposit: DecidedDeposit, body: { note: string; state: 'review' | 'orphaned' }, options: CallOptions) =>
  api(ignoreDeposit, { params: { id: deposit.id }, body: { ...body, ...withOthers(deposit) } }, options)

const verdicts = {
  ignore: {
    send: (deposit: DecidedDeposit, note: string, options: CallOptions) => ignore(deposit, { note, state: 'review' }, options),
    title: msg('Ignore the {payment}?'),
    description: msg(
      "It pays for nothing, is not refunded and is permanently removed from this list. Its owner and whoever reported it are notified, if known. This can't be undone.",
    ),
    done: msg('Payment Ignored'),
    failed: msg('Failed to ignore payment.'),
    press: [msg('Ignore payment'), msg('Ignoring...')],
  },
  leave: {
    send: (deposit: DecidedDeposit, note: string, options: CallOptions) => ignore(deposit, { note, state: 'orphaned' }, options),
    title: msg('Leave the nodes frozen?'),
    description: msg(
      'They keep their numbers, earn nothing and are removed from this list. If the payment returns, they earn again. Their owner is notified.',
    ),
    done: msg('Nodes Left Frozen'),
    failed: msg('Failed to leave the nodes frozen.'),
    press: [msg('Leave frozen'), msg('Leaving...')],
  },
  restore: {
    send: ({ id }: DecidedDeposit, note: string, options: CallOptions) =>
      api(restoreNodes, { params: { id }, body: { note } }, options),
    title: msg('Restore the nodes?'),
    description: msg(
      'Their payment is not on the chain, so the purchase remains unpaid. The next transfer of that amount from that wallet pays for it and buys nothing else.',
    ),
    done: msg('Nodes Restored'),
    failed: msg('Failed to restore the nodes.'),
    press: [msg('Restore nodes'), msg('Restoring...')],
  },
} as const

interface CloseDepositDialogProps {
  about: keyof typeof verdicts
  deposit: DecidedDeposit
  onClose: () => void
}

/** Asks for a reason before a deposit is ignored, or before its nodes are restored without it. */
export function CloseDepositDialog({ about, deposit, onClose }: CloseDepositDialogProps) {
  const verdict = verdicts[about]
  const close = useRowDecision({
    decide: ({ note }: { note: string }, options) => verdict.send(deposit, note, options),
    done: translate(verdict.done),
    failed: translate(verdict.failed),
    onSettled: onClose,
  })
  return (
    <ReasonDialog
      about={`${about} deposit ${deposit.id}`}
      title={translate(verdict.title, { payment: nameDeposit(deposit) })}
      description={translate(verdict.description)}
      keepLabel={t('Cancel')}
      label={translate(verdict.press[0])}
      pendingLabel={translate(verdict.press[1])}
      isDanger={about === 'ignore'}
      isPending={close.isPending}
      onDecide={(note) => close.mutate({ note })}
      onClose={onClose}
    />
  )
}
