import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import { createPurchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { readTransactionHash } from '#pwa/lib/readTransactionHash.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { acknowledgeReport } from './paymentOutbox.ts'
import type { Order } from './purchaseFlow.ts'
import { dispatch } from './purchaseFlowStore.ts'

/** "Check my transaction": attaches a transaction that the user names to the open request, or explains why not. */
export function CheckTransaction({ order }: { order: Pick<Order, 'id' | 'quantity' | 'amount'> }) {
  const formId = useId()
  const queryClient = useQueryClient()
  const { data: config } = useQuery(configQuery)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const [answer, setAnswer] = useState<string>()
  const [isAsking, setAsking] = useState(false)

  async function check(event: FormEvent) {
    event.preventDefault()
    const hash = readTransactionHash(typed)
    setAnswer(undefined)
    setProblem(hash ? undefined : t('A transaction hash has 66 characters and begins with 0x.'))
    if (!hash || isAsking) return
    setAsking(true)
    try {
      const body = { requestedQuantity: order.quantity, purchaseAmountUsdt: order.amount, transactionHash: hash }
      const purchase = await api(createPurchase, { body }, { idempotencyKey: crypto.randomUUID() })
      dispatch({ type: 'claimed', orderId: order.id, hash, at: new Date() })
      acknowledgeReport(purchase, queryClient)
      setAnswer(
        t(
          purchase.paymentStatus === 'pending' && !purchase.payment
            ? "Got it. We're looking for it on the chain and will show it here as soon as it is in a block."
            : 'Found. It belongs to this purchase.',
        ),
      )
    } catch (error) {
      redirectIfUnauthorized(error)
      if (!isUnauthorized(error)) setProblem(explain(error, config?.supportEmail))
    } finally {
      setAsking(false)
    }
  }

  return (
    <form id={formId} onSubmit={(event) => void check(event)} className="mt-4 flex flex-col gap-2" noValidate>
      <TextField
        label={t('Check my transaction')}
        hint={t('Paste its hash from your wallet. If you sped the transaction up, it has a new hash.')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={problem}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Button type="submit" variant="secondary" isPending={isAsking} pendingLabel={t('Checking')}>
        {t('Check')}
      </Button>
      <p role="status" className="text-14 text-ink-10">
        {answer}
      </p>
    </form>
  )
}

/** A refusal loses nothing: the watcher matches transfers by sender and amount, or puts them into review. */
function explain(error: unknown, support = t('support')): string {
  const said = errorText(error, t('It could not be checked. Please try again.'))
  if (!(error instanceof ApiError))
    return t('{said} Payments from your registered wallet are found without this check.', { said })
  if (error.code === 'otp_required' || error.status >= 500 || error.code === 'rate_limited')
    return t(
      'It has no open purchase. A payment from your registered wallet is found automatically within minutes. If nothing shows after 30 minutes, send this hash to {support}.',
      { support },
    )
  return said
}
