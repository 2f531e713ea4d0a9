import type { QueryClient } from '@tanstack/react-query'
import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import { type ApiError, isUnauthorized } from '#shared/contract/client.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import {
  authUserQuery,
  configQuery,
  dailyLimitQuery,
  otpStatusQuery,
  systemSettingsQuery,
  withdrawalsQuery,
} from '#pwa/lib/queries.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { keepMessage } from '#pwa/register/deviceMemory.ts'
import { toast } from '#pwa/ui/toast.ts'
import { forgetSent, noteSent, showCheckHistory } from './checkHistory.ts'
import { sendWithdrawal } from './sendWithdrawal.ts'
import type { SignedWithdrawal, WithdrawalEvent } from './withdrawalFlow.ts'
import { closeWithdrawal, currentFlow, dispatch } from './withdrawalStore.ts'
import { showFailure, showOtpNotEnabled, showUnanswered } from './withdrawalToasts.ts'

interface Submission {
  userId: string
  signed: SignedWithdrawal
  /** Its outcome was unknown before. */
  isResend?: boolean
}

/** Sends a signed withdrawal, and tells the flow and the user what became of it. */
export async function submitWithdrawal(
  queryClient: QueryClient,
  { userId, signed, isResend = false }: Submission,
): Promise<void> {
  const sending = currentFlow()
  noteSent()
  const outcome = await sendWithdrawal(signed, { isResend })
  if (outcome.type !== 'unanswered') forgetSent()
  if (outcome.type === 'accepted') {
    keepMessage(userId, signed.signedMessage)
    const { heldUntil } = outcome.withdrawal
    const transfer = {
      amount: formatAmount(signed.amount - signed.fee, { grouped: true }),
      address: shorten(signed.signerAddress),
    }
    toast({
      title: t('Withdrawal Request Completed'),
      description: heldUntil
        ? t('{amount} XCR to {address}, on hold until {time}.', { ...transfer, time: formatDateTime(heldUntil) })
        : t('{amount} XCR will be sent to {address}.', transfer),
    })
    refetchMoney(queryClient)
    if (currentFlow() === sending) closeWithdrawal()
    return
  }
  // The answer does not belong to a dialog that was opened since.
  const dispatchIfOpen = (event: WithdrawalEvent) => currentFlow() === sending && dispatch(event)
  if (outcome.type === 'unanswered') {
    const { error } = outcome
    if (dispatchIfOpen({ type: 'unanswered' }) && !isUnauthorized(error)) return showUnanswered(error)
    redirectIfUnauthorized(error)
    refetchMoney(queryClient)
    return showCheckHistory()
  }
  await settleRefusal(queryClient, outcome.error, dispatchIfOpen)
}

async function settleRefusal(
  queryClient: QueryClient,
  error: ApiError,
  dispatchIfOpen: (event: WithdrawalEvent) => unknown,
): Promise<void> {
  redirectIfUnauthorized(error)
  // Fee, balance or address differ from those on the page, so they are refetched.
  const { code } = error
  if (code === 'withdrawal_fee_changed') await queryClient.invalidateQueries({ queryKey: systemSettingsQuery.queryKey })
  if (code === 'withdrawal_message_invalid') await queryClient.invalidateQueries({ queryKey: configQuery.queryKey })
  if (!isUnauthorized(error)) refetchMoney(queryClient)
  if (code === 'otp_not_enabled') {
    void queryClient.invalidateQueries({ queryKey: otpStatusQuery.queryKey })
    dispatchIfOpen({ type: 'refused', reason: 'noOtp' })
    return showOtpNotEnabled()
  }
  const reason = code === 'otp_required' ? 'otp' : code === 'withdrawal_fee_changed' ? 'fee' : 'other'
  dispatchIfOpen({ type: 'refused', reason })
  showFailure(error)
}

export function refetchMoney(queryClient: QueryClient): void {
  for (const { queryKey } of [authUserQuery, withdrawalsQuery, dailyLimitQuery]) void queryClient.invalidateQueries({ queryKey })
}
