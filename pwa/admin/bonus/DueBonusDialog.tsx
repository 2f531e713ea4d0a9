import { useQuery } from '@tanstack/react-query'
import { grantDueBonus, listBonusDue, listBonusStatus } from '#shared/contract/admin/bonus.ts'
import { MAX_BONUS_ALONE } from '#shared/sale.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { countBonusNodes } from '../countNodes.ts'
import { ListError } from '../lists/ListError.tsx'
import { decide } from '../proof/decide.ts'
import { ApprovalNote } from '../proposals/ApprovalNote.tsx'
import { useReason } from '../useReason.tsx'
import { useRowDecision } from '../useRowDecision.ts'
import { bonusDueQuery } from './queries.ts'

/** Shows the preview of all pending bonuses before they are granted. */
export function DueBonusDialog({ onClose }: { onClose: () => void }) {
  const { data: due, error, isFetching, refetch } = useQuery(bonusDueQuery)
  const grant = useRowDecision({
    decide: (body: { userIds: string[]; reason?: string }, options) => decide(grantDueBonus, { body }, options),
    done: t('Bonus Granted'),
    failed: t('Failed to grant bonus.'),
    refreshes: [listBonusStatus.path, listBonusDue.path],
    onSettled: onClose,
    // The supply has shrunk meanwhile; the preview shows by how much.
    onRefused: () => void refetch(),
  })
  const isTooMuch = due !== undefined && due.totalNodes > due.remaining
  const needsReason = due !== undefined && due.totalNodes > MAX_BONUS_ALONE
  const reason = useReason({ about: 'due bonuses' })
  const mayGrant = !error && due !== undefined && due.users.length > 0 && !isTooMuch

  return (
    <Dialog
      open
      isHeld={grant.isPending}
      onOpenChange={onClose}
      title={t('Grant all due bonuses?')}
      description={
        <>
          {t("Each user's pending bonus nodes are allocated immediately, for all users or for none. This can't be undone.")}
          {needsReason && <ApprovalNote />}
        </>
      }
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={grant.isPending}>
            {t('Cancel')}
          </Button>
          <Button
            onClick={() => {
              const taken = needsReason ? reason.take() : {}
              if (due && taken) grant.mutate({ userIds: due.users.map(({ userId }) => userId), ...taken })
            }}
            disabled={!mayGrant}
            isPending={grant.isPending}
            pendingLabel={t('Granting...')}
          >
            {mayGrant ? t('Grant {nodes}', { nodes: countBonusNodes(due.totalNodes) }) : t('Grant')}
          </Button>
        </>
      }
    >
      {error && (
        <ListError
          title={t('Failed to fetch bonus status')}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!error && !due && (
        <div role="status">
          <span className="sr-only">{t('Loading due bonuses')}</span>
          <Skeleton className="h-40" />
        </div>
      )}
      {!error && due && (
        <>
          {due.users.length === 0 ? (
            <p className="text-14 text-ink-10">{t('No bonus is due.')}</p>
          ) : (
            <ul
              aria-label={t('Bonuses due')}
              className="max-h-72 divide-y divide-ink-5 overflow-y-auto rounded-input border border-ink-5 text-14"
            >
              {due.users.map(({ userId, userEmail, bonusPending }) => (
                <li key={userId} className="flex min-h-9 items-center justify-between gap-4 px-3.5 py-1.5">
                  <span className="min-w-0 [overflow-wrap:anywhere]">{userEmail}</span>
                  <span className="figures shrink-0 font-strong">+{formatCount(bonusPending)}</span>
                </li>
              ))}
            </ul>
          )}
          <dl className="mt-3 flex flex-col gap-1 text-14">
            <Sum name={plural(due.users.length, 'Total for {count} user', 'Total for {count} users')} count={due.totalNodes} />
            <Sum name={t('Remaining supply')} count={due.remaining} />
            {!isTooMuch && <Sum name={t('Remaining afterwards')} count={due.remaining - due.totalNodes} />}
          </dl>
          {mayGrant && needsReason && <div className="mt-3">{reason.field}</div>}
          {isTooMuch && (
            <div className="mt-3">
              <Notice tone="error" title={t('Not enough supply')}>
                {plural(
                  due.totalNodes - due.remaining,
                  '{count} node is missing. Use the form to grant to individual users instead.',
                  '{count} nodes are missing. Use the form to grant to individual users instead.',
                )}
              </Notice>
            </div>
          )}
        </>
      )}
    </Dialog>
  )
}

const Sum = ({ name, count }: { name: string; count: number }) => (
  <div className="flex justify-between gap-4">
    <dt className="text-ink-10">{name}</dt>
    <dd className="figures font-strong">{formatCount(count)}</dd>
  </div>
)
