import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Output } from '#shared/contract/endpoint.ts'
import { disableOtp, enableOtp, setupOtp } from '#shared/contract/otp.ts'
import { RECOVERY_CODES } from '#shared/oneTimeCode.ts'
import { api } from '#pwa/lib/api.ts'
import { otpStatusQuery } from '#pwa/lib/queries.ts'

export type OtpSetup = Output<typeof setupOtp>

export const useSetupOtp = () => useMutation({ mutationFn: () => api(setupOtp, {}) })

export function useEnableOtp() {
  const noteStatus = useNoteStatus()
  return useMutation({
    mutationFn: (body: { secret: string; token: string }) => api(enableOtp, { body }),
    onSuccess: () => noteStatus(true),
  })
}

export function useDisableOtp() {
  const noteStatus = useNoteStatus()
  return useMutation({ mutationFn: (token: string) => api(disableOtp, { body: { token } }), onSuccess: () => noteStatus(false) })
}

function useNoteStatus() {
  const queryClient = useQueryClient()
  return (otpEnabled: boolean) =>
    queryClient.setQueryData(otpStatusQuery.queryKey, { otpEnabled, recoveryCodesLeft: otpEnabled ? RECOVERY_CODES : 0 })
}
