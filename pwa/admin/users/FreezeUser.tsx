import { type AdminUserRow, freezeUser, listUsers, searchUsers } from '#shared/contract/admin/users.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { useRowDecision } from '../useRowDecision.ts'

/** Asks for a reason, and freezes the account. */
export function FreezeUser({ user, onClose }: { user: AdminUserRow; onClose: () => void }) {
  const freeze = useRowDecision({
    decide: (body: { reason: string }) => api(freezeUser, { params: { id: user.id }, body }),
    done: t('Account Frozen'),
    failed: t('The account is not frozen'),
    refreshes: [listUsers.path, searchUsers.path],
    onSettled: onClose,
  })
  return (
    <ReasonDialog
      about={`freeze ${user.id}`}
      title={t('Freeze the account?')}
      description={
        <>
          <strong className="exact mb-2 block font-strong text-ink-12">{user.email}</strong>{' '}
          {t(
            'For an account that a stranger may use. It is logged out everywhere, and can neither withdraw nor change its password, authenticator or wallet. Withdrawals that are not signed are on hold. Purchases and rewards go on. Its owner is notified by email, and can thaw it with password and authenticator, which takes 24 hours.',
          )}
        </>
      }
      keepLabel={t('Cancel')}
      label={t('Freeze account')}
      pendingLabel={t('Freezing...')}
      isDanger
      isPending={freeze.isPending}
      hint={t('It is recorded in the audit log.')}
      onDecide={(reason) => freeze.mutate({ reason })}
      onClose={onClose}
    />
  )
}
