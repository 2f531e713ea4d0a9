import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import { type AdminUserRow, listUsers, searchUsers, thawUser } from '#shared/contract/admin/users.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { TextArea } from '#pwa/ui/TextArea.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { toastFailure } from '../toastFailure.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'

/** Asks for a reason, and thaws the account at once. */
export function ThawUser({ user, onClose }: { user: AdminUserRow; onClose: () => void }) {
  const formId = useId()
  const refresh = useRefreshOffice()
  const [reason, setReason] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const [problem, setProblem] = useState<string>()
  const thaw = useMutation({
    mutationFn: () => api(thawUser, { params: { id: user.id }, body: { reason } }),
    onSuccess: () => {
      toast({ title: t('Account Thawed'), description: t('Withdrawals are on hold for 24 hours.') })
      for (const path of [listUsers.path, searchUsers.path]) void refresh(path)
    },
    onError: (error) => toastFailure(error, t('The account is still frozen')),
    onSettled: onClose,
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (reason.trim()) thaw.mutate()
    else {
      setProblem(t('Please enter a reason.'))
      field.current?.focus()
    }
  }
  return (
    <Dialog
      open
      isHeld={thaw.isPending}
      onOpenChange={onClose}
      onOpenAutoFocus={(event) => {
        event.preventDefault()
        field.current?.focus()
      }}
      title={t('Thaw the account?')}
      description={t(
        'Check who asks: its owner froze it because somebody else may know the password. Reset the password first if so. The user is notified by email, and withdrawals are on hold for 24 hours.',
      )}
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={thaw.isPending}>
            {t('Cancel')}
          </Button>
          <Button type="submit" form={formId} isPending={thaw.isPending} pendingLabel={t('Thawing...')}>
            {t('Thaw account')}
          </Button>
        </>
      }
    >
      <p className="mb-4 font-strong break-all">{user.email}</p>
      <form id={formId} noValidate onSubmit={handleSubmit}>
        <TextArea
          ref={field}
          label={t('Reason')}
          hint={t('It is recorded in the audit log.')}
          rows={2}
          maxLength={2_000}
          error={problem}
          value={reason}
          onChange={(event) => {
            setReason(event.target.value)
            setProblem(undefined)
          }}
        />
      </form>
    </Dialog>
  )
}
