import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { isUnauthorized } from '#shared/contract/client.ts'
import { cancelWithdrawal, type Withdrawal } from '#shared/contract/withdrawals.ts'
import { HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle, mayRepeat } from '#pwa/lib/errorText.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { authUserQuery, withdrawalsQuery } from '#pwa/lib/queries.ts'
import { useFreeze } from '#pwa/lib/useFreeze.ts'
import { useProductTime, useServerTime } from '#pwa/lib/serverClock.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { toast } from '#pwa/ui/toast.ts'

/** Most withdrawals are signed within seconds and are not worth a notice. */
const QUIET_PERIOD = MINUTE

/** The withdrawals that are not signed yet: why each one waits, and how to cancel it. */
export function OpenWithdrawals() {
  const { data: withdrawals } = useQuery(withdrawalsQuery)
  const waiting = (withdrawals ?? []).filter(({ canCancel }) => canCancel)
  if (waiting.length === 0) return null
  return <WaitingWithdrawals withdrawals={waiting} />
}

function WaitingWithdrawals({ withdrawals }: { withdrawals: readonly Withdrawal[] }) {
  const [now, productNow] = [useServerTime(), useProductTime()]
  const shown = withdrawals.filter(
    ({ status, createdAt }) => status !== 'pending' || productNow.getTime() - createdAt.getTime() >= QUIET_PERIOD,
  )
  return (
    <ul aria-label={t('Open withdrawals')} className="mb-4 flex flex-col gap-3 empty:hidden">
      {shown.map((withdrawal) => (
        <li key={withdrawal.id}>
          <OpenWithdrawal withdrawal={withdrawal} now={now} />
        </li>
      ))}
    </ul>
  )
}

function OpenWithdrawal({ withdrawal, now }: { withdrawal: Withdrawal; now: Date }) {
  const { amount, heldUntil } = withdrawal
  const [isAsking, setAsking] = useState(false)
  const cancel = useCancel(withdrawal, () => setAsking(false))
  const isFrozen = useFreeze() !== undefined
  const isHeld = isFrozen || (heldUntil !== null && heldUntil > now)
  const xcr = `${formatAmount(amount, { grouped: true })} XCR`
  return (
    <Notice
      tone={isHeld ? 'warning' : 'info'}
      title={t(isHeld ? 'Withdrawal of {amount} on hold' : 'Withdrawal of {amount} waiting', { amount: xcr })}
      action={
        <Button variant="secondary" needsServer onClick={() => setAsking(true)}>
          {t('Cancel withdrawal')}
        </Button>
      }
    >
      {isFrozen ? (
        t('On hold while your account is frozen, and for 24 hours after it is thawed.')
      ) : (
        <Reason withdrawal={withdrawal} now={now} />
      )}
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('Cancel the withdrawal of {amount}?', { amount: xcr })}
        description={t('The full amount goes back to your account. No fee is charged.')}
        dismissLabel={t('Keep it')}
        confirmLabel={t('Cancel withdrawal')}
        pendingLabel={t('Cancelling...')}
        isPending={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      />
    </Notice>
  )
}

function Reason({ withdrawal: { status, heldUntil, needsReview, isCapped }, now }: { withdrawal: Withdrawal; now: Date }) {
  if (heldUntil && heldUntil > now)
    return (
      <>
        <p>
          <T
            text="On hold until {time}, because your account was frozen, or its wallet, password or authenticator was changed. {left} left."
            time={
              <time dateTime={heldUntil.toISOString()} className="figures">
                {formatDateTime(heldUntil)}
                <LocalTime date={heldUntil} hasDay />
              </time>
            }
            left={
              <span role="timer" className="figures">
                {formatLeft(heldUntil, now)}
              </span>
            }
          />
        </p>
        <p>{needsReview ? t('After that, our team reviews it before payout.') : t('After that, it is paid automatically.')}</p>
        <p>{t("If you didn't request it, cancel it and change your password.")}</p>
      </>
    )
  if (isCapped)
    return t(
      'Payouts are limited per hour and day, and the limit is reached. Yours keeps its place in the queue and is sent in order.',
    )
  if (status === 'pending') return t('Payouts are sent in order. It will be sent as soon as it is its turn.')
  return needsReview ? t('Our team reviews it before payout.') : t('The hold is over. It will be sent in a moment.')
}

/** 23:59:59 */
function formatLeft(target: Date, now: Date): string {
  const left = target.getTime() - now.getTime()
  return [left / HOUR, (left % HOUR) / MINUTE, (left % MINUTE) / SECOND]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':')
}

/** Cancels with one idempotency key, so that a retry has one effect even if the first answer was lost. */
function useCancel({ id, amount }: Withdrawal, onSettled: () => void) {
  const queryClient = useQueryClient()
  const idempotencyKey = useRef(crypto.randomUUID())
  return useMutation({
    mutationFn: () => api(cancelWithdrawal, { params: { id } }, { idempotencyKey: idempotencyKey.current }),
    onSuccess: () =>
      toast({
        title: t('Withdrawal Cancelled'),
        description: t('{amount} XCR is back in your account.', { amount: formatAmount(amount, { grouped: true }) }),
      }),
    onError: (error) => {
      if (isUnauthorized(error)) return
      toast({
        title: failureTitle(error, t('Not Cancelled')),
        description: errorText(error, t('Please try again.'), mayRepeat),
        destructive: true,
      })
    },
    onSettled: () => {
      onSettled()
      for (const { queryKey } of [authUserQuery, withdrawalsQuery]) void queryClient.invalidateQueries({ queryKey })
    },
  })
}
