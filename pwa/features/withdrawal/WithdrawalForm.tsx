import { useRef, useState } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { readAmount } from '#pwa/lib/readAmount.ts'
import { toast } from '#pwa/ui/toast.ts'
import { AmountField } from './AmountField.tsx'
import type { useWithdrawal } from './useWithdrawal.ts'
import { WithdrawalSummary } from './WithdrawalSummary.tsx'

interface WithdrawalFormProps {
  id: string
  withdrawal: ReturnType<typeof useWithdrawal>
  available: bigint
  isPending: boolean
}

/** The amount to withdraw, with its fee. A button outside of it submits it. */
export function WithdrawalForm({ id, withdrawal, available, isPending }: WithdrawalFormProps) {
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const refusal = useRef<ReturnType<typeof toast>>(null)
  const { flow } = withdrawal

  // A signed withdrawal may have been received, so it is shown as signed.
  const signed = flow.at === 'unanswered' || flow.at === 'sending' ? flow.signed : undefined
  const amount = signed?.amount ?? readAmount(typed)

  function press() {
    if (isPending) return
    const found = withdrawal.press(amount, { isUnreadable: amount === undefined && /^\s*[^\s-]/.test(typed) })
    setProblem(found)
    if (!found) return
    refusal.current = toast({ title: t('Invalid Amount'), description: translateServerText(found), destructive: true })
    field.current?.focus()
  }

  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        press()
      }}
      className="flex flex-col gap-4"
    >
      <AmountField
        ref={field}
        typed={signed ? formatAmount(signed.amount) : typed}
        onType={(text) => {
          setTyped(text)
          setProblem(undefined)
          // It may lie over the code's dialog otherwise, which follows a corrected amount at once.
          refusal.current?.dismiss()
        }}
        available={available}
        limit={withdrawal.limit}
        problem={problem}
        isFixed={signed !== undefined || isPending}
      />
      <WithdrawalSummary amount={amount} fee={signed?.fee ?? withdrawal.fee} />
    </form>
  )
}
