import { useMutation } from '@tanstack/react-query'
import { Check, Copy } from '#pwa/ui/icons.ts'
import { type AdminUserRow, listUsers, resetUserPassword } from '#shared/contract/admin/users.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { useCopy } from '#pwa/ui/useCopy.ts'
import { toastFailure } from '../toastFailure.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'

interface ResetPasswordProps {
  /** Set once an administrator pressed Reset. */
  user: AdminUserRow | null
  onClose: () => void
}

/** Asks, resets, and shows the temporary password. It is shown once, because the server stores only its hash. */
export function ResetPassword({ user, onClose }: ResetPasswordProps) {
  const refresh = useRefreshOffice()
  const reset = useMutation({
    mutationFn: ({ id }: AdminUserRow) => api(resetUserPassword, { params: { id } }),
    gcTime: 0,
    onSuccess: () => void refresh(listUsers.path),
    onError: (error) => {
      toastFailure(error, t('Password reset failed'))
      onClose()
    },
  })
  const { isCopied, copy } = useCopy({ what: t('temporary password'), failed: t('Copy to clipboard failed.') })
  function close() {
    reset.reset()
    onClose()
  }
  const drawn = reset.data

  return (
    <>
      {user && !drawn && (
        <ConfirmDialog
          open
          onOpenChange={close}
          title={<span className="break-words">{t('Reset the password of {email}?', { email: user.email })}</span>}
          description={t(
            "We'll generate a temporary password. The old one stops working, the user is logged out everywhere and notified by email, and new withdrawals are on hold for 24 hours.",
          )}
          confirmLabel={t('Reset password')}
          pendingLabel={t('Resetting...')}
          isPending={reset.isPending}
          onConfirm={() => reset.mutate(user)}
        />
      )}
      {drawn && (
        <Dialog
          open
          // Cannot be dismissed by accident: the password is not shown again.
          isHeld
          onOpenChange={close}
          title={t('Password reset')}
          description={<span className="wrap-anywhere">{drawn.userEmail}</span>}
          actions={<Button onClick={close}>{t('Done')}</Button>}
        >
          <p id="temporary-password" className="mb-1.5 text-14 font-strong text-ink-11">
            {t('Temporary password')}
          </p>
          <div className="flex items-center gap-2">
            <output
              translate="no"
              aria-labelledby="temporary-password"
              className="exact min-h-12 min-w-0 flex-1 rounded-input border border-ink-5 bg-ink-2 px-3.5 py-2.5 font-mono text-16 text-ink-12 select-all"
            >
              {drawn.temporaryPassword}
            </output>
            <Button variant="secondary" onClick={() => void copy(drawn.temporaryPassword)} className="min-h-12! min-w-26">
              {isCopied ? (
                <>
                  <Check size={16} aria-hidden className="text-green" /> {t('Copied')}
                </>
              ) : (
                <>
                  <Copy size={16} aria-hidden /> {t('Copy')}
                </>
              )}
            </Button>
          </div>
          <div className="mt-4">
            <Notice tone="warning">
              {t('It is shown only once. Share it securely, and ask the user to change it after logging in.')}
            </Notice>
          </div>
        </Dialog>
      )}
    </>
  )
}
