import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { sendVerificationCode } from '#shared/contract/identity.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { useSendCode } from './queries.ts'
import { toastCodeSent, toastSendFailed } from './codeToasts.ts'

export function EmailStep({ email, onSent }: { email: string; onSent: (email: string) => void }) {
  const sendCode = useSendCode()
  const form = useForm({ resolver: zodResolver(sendVerificationCode.body), defaultValues: { email } })

  const submit = form.handleSubmit((values) =>
    sendCode.mutate(values.email, {
      onSuccess: () => {
        toastCodeSent()
        onSent(values.email)
      },
      onError: toastSendFailed,
    }),
  )

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <TextField
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        hint="We send a 6-digit code to it."
        error={form.formState.errors.email?.message}
        {...form.register('email')}
      />
      <Button type="submit" isWide isPending={sendCode.isPending} pendingLabel="Sending...">
        Send Verification Code
      </Button>
    </form>
  )
}
