import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Input } from '#shared/contract/endpoint.ts'
import { login, register, sendVerificationCode, verifyCode } from '#shared/contract/identity.ts'
import { forgotPassword, resetPassword } from '#shared/contract/password.ts'
import { api } from '#pwa/lib/api.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { withCaptcha } from '../captcha/pendingCaptcha.ts'

type Body<E extends Parameters<typeof api>[0]> = Input<E> extends { body: infer Shape } ? Shape : never

export function useLogin() {
  const refetchUser = useRefetchUser()
  return useMutation({
    mutationFn: (body: Body<typeof login>) => withCaptcha(() => api(login, { body })),
    onSuccess: refetchUser,
  })
}

export function useRegister() {
  const refetchUser = useRefetchUser()
  return useMutation({ mutationFn: (body: Body<typeof register>) => api(register, { body }), onSuccess: refetchUser })
}

export const useSendCode = () =>
  useMutation({ mutationFn: (email: string) => withCaptcha(() => api(sendVerificationCode, { body: { email } })) })

export const useVerifyCode = () => useMutation({ mutationFn: (body: Body<typeof verifyCode>) => api(verifyCode, { body }) })

export const useForgotPassword = () =>
  useMutation({ mutationFn: (email: string) => withCaptcha(() => api(forgotPassword, { body: { email } })) })

export const useResetPassword = () =>
  useMutation({ mutationFn: (body: Body<typeof resetPassword>) => api(resetPassword, { body }) })

export function useRefetchUser() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: authUserQuery.queryKey })
}
