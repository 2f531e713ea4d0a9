import { type AdminUserRow, listUsers, searchUsers, thawUser } from '#shared/contract/admin/users.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { useRowDecision } from '../useRowDecision.ts'

/** Asks for a reason, and thaws the account at once. */
export function ThawUser({ user, onClose }: { user: AdminUserRow; onClose: () => void }) {
  const thaw = useRowDecision({
    decide: (body: { reason: string }) => api(thawUser, { params: { id: user.id }, body }),
    done: t('Account Thawed'),
    failed: t('The account is still frozen'),
    refreshes: [listUsers.path, searchUsers.path],
    onSettled: onClose,
  })
  return (
    <ReasonDialog
      about={`thaw ${user.id}`}
      title={t('Thaw the account?')}
      description={
        <>
          <strong className="exact mb-2 block font-strong text-ink-12">{user.email}</strong>{' '}
          {t(
            'Check who asks: it was frozen because somebody else may know the password. Reset the password first if so. The user is notified by email, and withdrawals are on hold for 24 hours.',
          )}
        </>
      }
      keepLabel={t('Cancel')}
      label={t('Thaw account')}
      pendingLabel={t('Thawing...')}
      isDanger={false}
      isPending={thaw.isPending}
      hint={t('It is recorded in the audit log.')}
      onDecide={(reason) => thaw.mutate({ reason })}
      onClose={onClose}
    />
  )
}
