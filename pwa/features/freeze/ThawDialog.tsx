import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import { thawAccount } from '#shared/contract/freezes.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { authUserQuery, withdrawalsQuery } from '#pwa/lib/queries.ts'
import { readOneTimeCode } from '#pwa/lib/readOneTimeCode.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { OneTimeCodeField } from '#pwa/ui/OneTimeCodeField.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { toast } from '#pwa/ui/toast.ts'

/** Starts the thaw of the own account, with password and code. */
export function ThawDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const formId = useId()
  const user = useAuthUser()
  const queryClient = useQueryClient()
  const [password, setPassword] = useState('')
  const [typed, setTyped] = useState('')
  const token = readOneTimeCode(typed)
  const passwordField = useRef<HTMLInputElement>(null)
  const codeField = useRef<HTMLInputElement>(null)
  const thaw = useMutation({
    mutationFn: (code: string) => api(thawAccount, { body: { password, token: code } }),
    onSuccess: async ({ thawsAt }) => {
      change(false)
      toast({ title: t('Thaw Started'), description: t('Your account is thawed on {time}.', { time: formatDateTime(thawsAt) }) })
      for (const { queryKey } of [authUserQuery, withdrawalsQuery]) await queryClient.invalidateQueries({ queryKey })
    },
    onError: (error) => {
      if (isUnauthorized(error)) return
      if (error instanceof ApiError && error.code === 'invalid_credentials') passwordField.current?.focus()
      else if (error instanceof ApiError) {
        setTyped('')
        codeField.current?.focus()
      }
      toast({
        title: failureTitle(error, t('Thaw Not Started')),
        description: errorText(error, t('Please try again.')),
        destructive: true,
      })
    },
  })
  function change(isOpen: boolean) {
    setPassword('')
    setTyped('')
    onOpenChange(isOpen)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={t('Thaw Account')}
      description={t('It takes 24 hours. We email you, and you can freeze the account again until then.')}
      actions={
        <>
          <Button variant="secondary" onClick={() => change(false)} disabled={thaw.isPending}>
            {t('Cancel')}
          </Button>
          <Button
            type="submit"
            form={formId}
            disabled={!password || !token}
            isPending={thaw.isPending}
            pendingLabel={t('Verifying...')}
          >
            {t('Start the thaw')}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          if (token && password) thaw.mutate(token)
        }}
      >
        <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
        <PasswordField
          ref={passwordField}
          label={t('Password')}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <OneTimeCodeField ref={codeField} label={t('Authenticator code')} value={typed} onChange={setTyped} />
      </form>
    </Dialog>
  )
}
