import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { resetVesting, startVesting } from '#shared/contract/admin/office.ts'
import { ApiError } from '#shared/contract/client.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { formatDate } from '#pwa/lib/formatDate.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useMayCall } from '../useMayCall.ts'
import { ChangeDialog } from '../ChangeDialog.tsx'
import { decide } from '../proof/decide.ts'
import { isDecided, toastFailure } from '../toastFailure.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'
import { FigureCard } from './FigureCard.tsx'
import { maturityOf } from './maturityOf.ts'

/** Vesting start and maturity, with a switch that asks for confirmation. */
export function VestingStat({ startDate }: { startDate: Date | null }) {
  // Fixed when the dialog opens, because another administrator may change the state meanwhile.
  const [question, setQuestion] = useState<'start' | 'reset' | null>(null)
  const refresh = useRefreshOffice()
  const mayCall = useMayCall()
  const change = useMutation({
    mutationFn: ({ action, reason }: { action: 'start' | 'reset'; reason?: string | undefined }) =>
      action === 'start' ? api(startVesting, {}) : decide(resetVesting, { body: { reason } }),
    onSuccess: ({ message }, { action }) =>
      toast({ title: t(action === 'start' ? 'Vesting Started' : 'Vesting Reset'), description: translateServerText(message) }),
    onError: (error, { action }) => toastFailure(error, t(action === 'start' ? 'Vesting start failed' : 'Vesting reset failed')),
    onSettled: (_answer, error) => {
      // Another administrator was first.
      const isTooLate = error instanceof ApiError && error.code === 'vesting_conflict'
      if (isTooLate || isDecided(error)) setQuestion(null)
      return refresh(listProposals.path)
    },
  })
  return (
    <>
      <FigureCard
        title={t('Vesting start date')}
        figure={startDate ? formatDate(startDate) : t('Not started')}
        caption={
          startDate
            ? t('Matures {date} (UTC)', { date: formatDate(maturityOf(startDate)) })
            : t('Matures 5 years after the start')
        }
        action={
          mayCall(startVesting) && (
            <Button
              variant="secondary"
              className="sm:min-h-7! sm:rounded-small! sm:px-2! sm:text-12!"
              onClick={() => setQuestion(startDate ? 'reset' : 'start')}
            >
              {t(startDate ? 'Reset vesting' : 'Start vesting')}
            </Button>
          )
        }
      />
      {question === 'start' && (
        <ChangeDialog
          title={t('Start vesting now?')}
          before={showDay(startDate)}
          after={t('Started now')}
          consequence={t('The five-year vesting period starts now for all nodes. You can reset it later.')}
          confirmLabel={t('Start vesting')}
          pendingLabel={t('Starting...')}
          isPending={change.isPending}
          onClose={() => setQuestion(null)}
          onConfirm={() => change.mutate({ action: 'start' })}
        />
      )}
      {question === 'reset' && (
        <ChangeDialog
          title={
            startDate ? t('Reset the vesting that started on {date}?', { date: formatDate(startDate) }) : t('Reset the vesting?')
          }
          before={showDay(startDate)}
          after={showDay(null)}
          consequence={t("The start date and the maturity date are cleared for all nodes, at once. This can't be undone.")}
          confirmLabel={t('Reset vesting')}
          pendingLabel={t('Resetting...')}
          isHarmless={false}
          isPending={change.isPending}
          onClose={() => setQuestion(null)}
          needsReason
          onConfirm={(reason) => change.mutate({ action: 'reset', reason })}
        />
      )}
    </>
  )
}

const showDay = (day: Date | null): string => (day ? `${formatDate(day)} (UTC)` : t('Not started'))
