import { useMutation, useQueryClient } from '@tanstack/react-query'
import { mayBeDone } from '#shared/contract/client.ts'
import type { Input, Output } from '#shared/contract/endpoint.ts'
import { disableOtp, enableOtp, type otpStatus, renewRecoveryCodes, setupOtp } from '#shared/contract/otp.ts'
import { changePassword } from '#shared/contract/password.ts'
import { endOtherSessions } from '#shared/contract/sessions.ts'
import { changeDailyLimit } from '#shared/contract/withdrawals.ts'
import { ANSWER_TIMEOUT, api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { dailyLimitQuery, otpStatusQuery, sessionsQuery } from '#pwa/lib/queries.ts'
import { forgetShownSecret, keepShownSecret, readShownSecret } from '#pwa/lib/shownSecret.ts'
import { useRefetchIfLost } from '#pwa/lib/useRefetchIfLost.ts'

export type OtpSetup = Output<typeof setupOtp>

export const useSetupOtp = () =>
  useMutation({ mutationFn: () => api(setupOtp, { body: readShownSecret() }), onSuccess: keepShownSecret })

export function useEnableOtp() {
  const storeStatus = useStoreStatus()
  return useMutation({
    mutationFn: (body: { secret: string; token: string }) =>
      api(enableOtp, { body }, { signal: AbortSignal.timeout(ANSWER_TIMEOUT) }),
    onSuccess: ({ recoveryCodes }) => {
      forgetShownSecret()
      storeStatus({ otpEnabled: true, recoveryCodesLeft: recoveryCodes.length })
    },
    onError: (error) => {
      if (mayBeDone(error)) forgetShownSecret()
    },
  })
}

export function useDisableOtp() {
  const storeStatus = useStoreStatus()
  return useMutation({
    mutationFn: (token: string) => api(disableOtp, { body: { token } }),
    onSuccess: () => storeStatus({ otpEnabled: false, recoveryCodesLeft: 0 }),
    onError: useRefetchIfLost(otpStatusQuery),
  })
}

export function useRenewRecoveryCodes() {
  const storeStatus = useStoreStatus()
  return useMutation({
    mutationFn: () => api(renewRecoveryCodes, {}),
    onSuccess: ({ codes }) => storeStatus({ otpEnabled: true, recoveryCodesLeft: codes.length }),
    onError: useRefetchIfLost(otpStatusQuery),
  })
}

function useStoreStatus() {
  const queryClient = useQueryClient()
  return (status: Output<typeof otpStatus>) => applyAnswer(queryClient, otpStatusQuery, status)
}

export function useChangePassword() {
  const queryClient = useQueryClient()
  const refetchSessions = useRefetchSessions()
  return useMutation({
    mutationFn: (body: Input<typeof changePassword>['body']) => api(changePassword, { body }),
    onSuccess: () => {
      void refetchSessions()
      // The new session has no subscription yet.
      void queryClient.invalidateQueries({ queryKey: ['/api/push/subscription'] })
    },
  })
}

export function useEndOtherSessions() {
  const refetchSessions = useRefetchSessions()
  return useMutation({
    mutationFn: () => api(endOtherSessions, {}),
    onSuccess: refetchSessions,
    onError: useRefetchIfLost(sessionsQuery),
  })
}

export function useChangeDailyLimit() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (limit: bigint | null) => api(changeDailyLimit, { body: { limit } }),
    onSuccess: (changed) => applyAnswer(queryClient, dailyLimitQuery, changed),
    onError: useRefetchIfLost(dailyLimitQuery),
  })
}

function useRefetchSessions() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
}
