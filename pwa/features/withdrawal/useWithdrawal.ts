import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import type { AuthUser } from '#shared/contract/identity.ts'
import type { DailyLimit } from '#shared/contract/withdrawals.ts'
import { settingDefaults } from '#shared/settings.ts'
import { shorten } from '#shared/address.ts'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { describeLimit, findAmountProblem, withdrawalTexts } from '#shared/withdrawalRules.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import {
  authUserQuery,
  configQuery,
  dailyLimitQuery,
  otpStatusQuery,
  systemSettingsQuery,
  withdrawalsQuery,
} from '#pwa/lib/queries.ts'
import { readServerTime } from '#pwa/lib/serverClock.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { keepMessage } from '#pwa/register/deviceMemory.ts'
import { toast } from '#pwa/ui/toast.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { wasTokenAdded } from '#pwa/wallet/tokenFlag.ts'
import { readChainId } from '#pwa/wallet/usdtCalls.ts'
import { isAlreadyPending, isRejection } from '#pwa/wallet/walletErrors.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { withTimeout } from '#pwa/wallet/withTimeout.ts'
import { forgetSent, noteSent, showCheckHistory } from './checkHistory.ts'
import { sendWithdrawal } from './sendWithdrawal.ts'
import { signWithdrawal } from './signWithdrawal.ts'
import { showNotConnected } from './showNotConnected.ts'
import { useWithdrawalWallet } from './useWithdrawalWallet.ts'
import type { SignedWithdrawal, WithdrawalEvent } from './withdrawalFlow.ts'
import { closeWithdrawal, currentFlow, dispatch, useWithdrawalStore } from './withdrawalStore.ts'

/** A wallet that does not return its chain within this time counts as being on another one. */
const CHAIN_TIMEOUT = 5 * SECOND

/** The specification's withdrawal flow, press by press, with the toast of each refusal. */
export function useWithdrawal(user: AuthUser) {
  const queryClient = useQueryClient()
  const { data: config } = useQuery(configQuery)
  const { data: settings } = useQuery(systemSettingsQuery)
  const { data: limit } = useQuery(dailyLimitQuery)
  const provider = useWithdrawalWallet(config)
  const flow = useWithdrawalStore((store) => store.flow)
  const feeText = settings?.find(({ key }) => key === 'withdrawal_fee_amount')?.value
  const fee = parseAmount(feeText ?? settingDefaults.withdrawal_fee_amount) ?? 0n
  const available = user.balance.availableXcr

  useEffect(() => {
    // The message needs the server's current time: the page may have been open for days.
    void queryClient.invalidateQueries({ queryKey: configQuery.queryKey })
    void queryClient.invalidateQueries({ queryKey: systemSettingsQuery.queryKey })
    // More is left by the clock alone.
    void queryClient.invalidateQueries({ queryKey: dailyLimitQuery.queryKey })
  }, [queryClient])

  /** Returns an error about the amount, if any. Everything else is reported by toasts. */
  function press(amount: bigint | undefined): string | undefined {
    if (flow.at === 'unanswered') {
      const next = dispatch({ type: 'sentAgain' })
      if (next.at === 'sending') void send(next.signed, { isResend: true })
      return
    }
    const problem = findAmountProblem({ amount, available, fee }) ?? findLimitProblem(amount!, limit)
    if (problem) {
      toast({ title: t('Invalid Amount'), description: translateServerText(problem), destructive: true })
      return problem
    }
    if (!user.walletAddress) showRefusal(t('Wallet Address Required'), translateServerText(withdrawalTexts.walletRequired))
    else if (flow.at === 'form') void startOtp()
    else if (flow.at === 'verified') void sign(amount!, user.walletAddress)
  }

  /** The first press: checks the authenticator and asks for its code. */
  async function startOtp(): Promise<void> {
    dispatch({ type: 'requested' })
    try {
      const { otpEnabled } = await queryClient.fetchQuery({ ...otpStatusQuery, staleTime: 0 })
      const next = dispatch({ type: 'otpChecked', hasOtp: otpEnabled })
      if (next.at === 'otpSetup') showOtpNotEnabled()
    } catch (error) {
      dispatch({ type: 'checkFailed' })
      showFailure(error)
    }
  }

  function confirmOtp(): void {
    dispatch({ type: 'otpVerified' })
    toast({
      title: t('OTP Verification Complete'),
      description: t('Now click "Sign with MetaMask" to sign your withdrawal and send it.'),
    })
  }

  /** The second press. The wallet is signing before any await. */
  async function sign(amount: bigint, address: `0x${string}`): Promise<void> {
    const connected = useWallet.getState().address
    if (!connected || !provider || !config) return showNotConnected()
    if (connected !== address) {
      const description = t('Choose the account {address} in your wallet. Only its signature is accepted.', {
        address: shorten(address),
      })
      return showRefusal(t('Registered Wallet Required'), description)
    }
    const signing = dispatch({ type: 'signatureRequested' })
    // An answer after the dialog was closed is ignored.
    const isClosed = () => currentFlow() !== signing
    try {
      if (
        !signing.isSetupWarningShown &&
        !(await isSetUp(provider, { chainId: config.rewardChain.chainId, email: user.email }))
      ) {
        if (isClosed()) return
        dispatch({ type: 'setupMissing' })
        return showRefusal(t('Setup Required'), t('Network and token setup required in MetaMask for withdrawal.'))
      }
      if (isClosed()) return
      const signed = await signWithdrawal(provider, {
        chainId: config.rewardChain.chainId,
        email: user.email,
        amount,
        fee,
        address,
        at: readServerTime(queryClient),
      })
      if (isClosed()) return
      dispatch({ type: 'signed', signed })
      await send(signed)
    } catch (error) {
      if (isClosed()) return
      dispatch({ type: 'signatureFailed' })
      showSignatureFailure(error)
    }
  }

  async function send(signed: SignedWithdrawal, { isResend } = { isResend: false }): Promise<void> {
    const sending = currentFlow()
    noteSent()
    const outcome = await sendWithdrawal(signed, { isResend })
    if (outcome.type !== 'unanswered') forgetSent()
    if (outcome.type === 'accepted') {
      keepMessage(user.id, signed.signedMessage)
      const { heldUntil } = outcome.withdrawal
      const transfer = { amount: formatAmount(signed.amount - signed.fee), address: shorten(signed.signerAddress) }
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
    await settleRefusal(outcome.error, dispatchIfOpen)
  }

  async function settleRefusal(error: ApiError, dispatchIfOpen: (event: WithdrawalEvent) => unknown): Promise<void> {
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

  function close(): void {
    if (flow.at === 'unanswered') {
      refetchMoney(queryClient)
      forgetSent()
      showCheckHistory()
    }
    closeWithdrawal()
  }

  return {
    flow,
    fee,
    limit,
    config,
    provider,
    press,
    confirmOtp,
    otpEnabled: () => dispatch({ type: 'otpEnabled' }),
    abandonOtp: (stage: 'otpSetup' | 'otpCheck') => dispatch({ type: 'otpAbandoned', stage }),
    close,
  }
}

const findLimitProblem = (amount: bigint, { limit, left }: Pick<DailyLimit, 'limit' | 'left'> = { limit: null, left: null }) =>
  limit !== null && left !== null && amount > left ? describeLimit(limit, left) : undefined

/** Whether the wallet is on the reward chain and has the token. */
async function isSetUp(provider: Eip1193Provider, { chainId, email }: { chainId: number; email: string }): Promise<boolean> {
  const current = await withTimeout(readChainId(provider), CHAIN_TIMEOUT).catch(() => undefined)
  return current === chainId && wasTokenAdded(email)
}

function refetchMoney(queryClient: QueryClient): void {
  for (const { queryKey } of [authUserQuery, withdrawalsQuery, dailyLimitQuery]) void queryClient.invalidateQueries({ queryKey })
}

const showRefusal = (title: string, description: string): void => void toast({ title, description, destructive: true })

const showOtpNotEnabled = (): void =>
  showRefusal(t('OTP Authentication Required'), translateServerText(withdrawalTexts.otpNotEnabled))

function showFailure(error: unknown): void {
  redirectIfUnauthorized(error)
  if (isUnauthorized(error)) return
  showRefusal(t('Withdrawal Failed'), errorText(error, t('Nothing was withdrawn. Please try again.')))
}

function showUnanswered(error: unknown): void {
  const description =
    error instanceof ApiError && error.serverMessage !== undefined
      ? translateServerText(error.serverMessage)
      : t('The server did not respond. Send it again. It will be processed only once.')
  showRefusal(t('Withdrawal Failed'), description)
}

function showSignatureFailure(error: unknown): void {
  if (isRejection(error)) return showRefusal(t('Signature Cancelled'), t('Nothing was withdrawn. Sign when you are ready.'))
  if (isAlreadyPending(error))
    return showRefusal(t('Signature Failed'), t('Your wallet already has an open request. Respond to it first.'))
  console.info('The wallet did not sign', error)
  showRefusal(t('Signature Failed'), t('Your wallet did not sign. Nothing was withdrawn. Please try again.'))
}
