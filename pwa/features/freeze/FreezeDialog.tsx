import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { freezeAccount } from '#shared/contract/freezes.ts'
import { clearUserData } from '#pwa/app/clearUserData.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle, mayRepeat } from '#pwa/lib/errorText.ts'
import { withoutRedirect } from '#pwa/lib/unauthorized.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import type { FreezeState } from './FreezePage.tsx'

interface FreezeDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
}

/** Freezes the own account, or keeps it frozen. It needs the password, so that a stolen session can't lock its owner out. */
export function FreezeDialog({ open, onOpenChange, title }: FreezeDialogProps) {
  const formId = useId()
  const user = useAuthUser()
  const go = useGo()
  const queryClient = useQueryClient()
  const [password, setPassword] = useState('')
  const freeze = useMutation({
    mutationFn: () =>
      withoutRedirect(async () => {
        const done = await api(freezeAccount, { body: { password } })
        await go('/freeze', { state: { done } satisfies FreezeState })
        clearUserData(queryClient)
      }),
    onError: (error) => {
      if (isUnauthorized(error)) return
      toast({
        title: failureTitle(error, t('Not Frozen')),
        description: errorText(error, t('Please try again.'), mayRepeat),
        destructive: true,
      })
    },
  })
  function change(isOpen: boolean) {
    setPassword('')
    onOpenChange(isOpen)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={title}
      description={t(
        'You are logged out everywhere. To use the account again, you need your password, a code of your authenticator, and 24 hours.',
      )}
      actions={
        <>
          <Button variant="secondary" onClick={() => change(false)} disabled={freeze.isPending}>
            {t('Cancel')}
          </Button>
          <Button
            type="submit"
            form={formId}
            variant="danger"
            disabled={!password}
            isPending={freeze.isPending}
            pendingLabel={t('Freezing...')}
          >
            {t('Freeze my account')}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          freeze.mutate()
        }}
      >
        {/* Tells the password manager which account the password belongs to. */}
        <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
        <PasswordField
          label={t('Password')}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
