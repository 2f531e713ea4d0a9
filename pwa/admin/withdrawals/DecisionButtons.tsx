import { type AdminWithdrawal, approveWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { translate } from '#pwa/i18n/t.ts'
import { RowButton } from '../lists/RowButton.tsx'
import { useMayCall } from '../useMayCall.ts'
import { type Decision, decisionLabels, decisionNames } from './decisions.ts'

interface DecisionButtonsProps {
  withdrawal: AdminWithdrawal
  onPress: (decision: Decision) => void
}

/** The decisions that this administrator may take on a withdrawal. */
export function DecisionButtons({ withdrawal, onPress }: DecisionButtonsProps) {
  const mayDecide = useMayCall()(approveWithdrawal)
  return (
    <div className="flex justify-end gap-1.5 max-md:flex-wrap empty:hidden">
      {(mayDecide ? decisionsOn(withdrawal) : []).map((decision) => (
        <RowButton
          key={decision}
          label={translate(decisionNames[decision], { email: withdrawal.userEmail })}
          onClick={() => onPress(decision)}
        >
          {translate(decisionLabels[decision])}
        </RowButton>
      ))}
    </div>
  )
}

/** Once a transaction is signed, only that one may pay the withdrawal. A pending one can be paid by hand while payouts are stopped. */
function decisionsOn({ status, hasAttempts }: AdminWithdrawal): Decision[] {
  if (status === 'manual_review') return hasAttempts ? ['approve', 'reject'] : ['approve', 'reject', 'markPaid']
  return status === 'pending' && !hasAttempts ? ['markPaid'] : []
}
