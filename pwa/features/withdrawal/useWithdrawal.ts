import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import type { DailyLimit } from '#shared/contract/withdrawals.ts'
import { settingDefaults } from '#shared/settings.ts'
import { shorten } from '#shared/address.ts'
import { parseAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { describeLimit, findAmountProblem, withdrawalTexts } from '#shared/withdrawalRules.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { configQuery, dailyLimitQuery, otpStatusQuery, systemSettingsQuery } from '#pwa/lib/queries.ts'
import { readServerTime } from '#pwa/lib/serverClock.ts'
import { toast } from '#pwa/ui/toast.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { wasTokenAdded } from '#pwa/wallet/tokenFlag.ts'
import { readChainId } from '#pwa/wallet/usdtCalls.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { withTimeout } from '#pwa/wallet/withTimeout.ts'
import { forgetSent, showCheckHistory } from './checkHistory.ts'
import { signWithdrawal } from './signWithdrawal.ts'
import { showNotConnected } from './showNotConnected.ts'
import { refetchMoney, submitWithdrawal } from './submitWithdrawal.ts'
import { useWithdrawalWallet } from './useWithdrawalWallet.ts'
import { closeWithdrawal, currentFlow, dispatch, useWithdrawalStore } from './withdrawalStore.ts'
import { showFailure, showOtpNotEnabled, showRefusal, showSignatureFailure } from './withdrawalToasts.ts'

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
  function press(amount: bigint | undefined, { isUnreadable }: { isUnreadable: boolean }): string | undefined {
    if (flow.at === 'unanswered') {
      const next = dispatch({ type: 'sentAgain' })
      if (next.at === 'sending') void submitWithdrawal(queryClient, { userId: user.id, signed: next.signed, isResend: true })
      return
    }
    if (isUnreadable) return withdrawalTexts.amountInvalid
    const problem = findAmountProblem({ amount, available, fee }) ?? findLimitProblem(amount!, limit)
    if (problem) return problem
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
      await submitWithdrawal(queryClient, { userId: user.id, signed })
    } catch (error) {
      if (isClosed()) return
      dispatch({ type: 'signatureFailed' })
      showSignatureFailure(error)
    }
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
