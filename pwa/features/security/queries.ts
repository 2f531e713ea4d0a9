import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Input, Output } from '#shared/contract/endpoint.ts'
import { disableOtp, enableOtp, type otpStatus, renewRecoveryCodes, setupOtp } from '#shared/contract/otp.ts'
import { changePassword } from '#shared/contract/password.ts'
import { endOtherSessions } from '#shared/contract/sessions.ts'
import { api } from '#pwa/lib/api.ts'
import { otpStatusQuery, sessionsQuery } from '#pwa/lib/queries.ts'

export type OtpSetup = Output<typeof setupOtp>

export const useSetupOtp = () => useMutation({ mutationFn: () => api(setupOtp, {}) })

export function useEnableOtp() {
  const noteStatus = useNoteStatus()
  return useMutation({
    mutationFn: (body: { secret: string; token: string }) => api(enableOtp, { body }),
    onSuccess: ({ recoveryCodes }) => noteStatus({ otpEnabled: true, recoveryCodesLeft: recoveryCodes.length }),
  })
}

export function useDisableOtp() {
  const noteStatus = useNoteStatus()
  return useMutation({
    mutationFn: (token: string) => api(disableOtp, { body: { token } }),
    onSuccess: () => noteStatus({ otpEnabled: false, recoveryCodesLeft: 0 }),
  })
}

export function useRenewRecoveryCodes() {
  const noteStatus = useNoteStatus()
  return useMutation({
    mutationFn: () => api(renewRecoveryCodes, {}),
    onSuccess: ({ codes }) => noteStatus({ otpEnabled: true, recoveryCodesLeft: codes.length }),
  })
}

function useNoteStatus() {
  const queryClient = useQueryClient()
  return async (status: Output<typeof otpStatus>) => {
    // A request that is under way has older data.
    await queryClient.cancelQueries({ queryKey: otpStatusQuery.queryKey })
    queryClient.setQueryData(otpStatusQuery.queryKey, status)
  }
}

export function useChangePassword() {
  const readSessionsAgain = useReadSessionsAgain()
  return useMutation({
    mutationFn: (body: Input<typeof changePassword>['body']) => api(changePassword, { body }),
    onSuccess: readSessionsAgain,
  })
}

export function useEndOtherSessions() {
  const readSessionsAgain = useReadSessionsAgain()
  return useMutation({ mutationFn: () => api(endOtherSessions, {}), onSuccess: readSessionsAgain })
}

function useReadSessionsAgain() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
}
