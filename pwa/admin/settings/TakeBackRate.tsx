import { useState } from 'react'
import type { RewardRate } from '#shared/contract/admin/office.ts'
import { t } from '#pwa/i18n/t.ts'
import { ChangeDialog } from '../ChangeDialog.tsx'
import { formatXcr } from '../formatXcr.ts'
import { RowButton } from '../lists/RowButton.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { useScheduleRate } from './useScheduleRate.ts'

/** Replaces a planned rate by the one before it, so that nothing changes at its time. */
export function TakeBackRate({ planned, before }: { planned: RewardRate; before: bigint }) {
  const [isAsked, setAsked] = useState(false)
  const schedule = useScheduleRate(() => setAsked(false))
  const time = formatTime(planned.effectiveFrom)
  return (
    <>
      <RowButton
        label={t('Take back the rate of {rate}, planned for {time}', { rate: formatXcr(planned.rate), time })}
        needsServer
        onClick={() => setAsked(true)}
      >
        {t('Take back')}
      </RowButton>
      {isAsked && (
        <ChangeDialog
          title={t('Take back the planned rate?')}
          before={formatXcr(planned.rate)}
          beforeLabel={t('Planned:')}
          after={formatXcr(before)}
          consequence={t('The daily reward does not change on {time}. Every active node goes on earning what it earned before.', {
            time,
          })}
          confirmLabel={t('Take back')}
          isPending={schedule.isPending}
          onClose={() => setAsked(false)}
          needsReason
          onConfirm={(reason) =>
            schedule.mutate({ rate: before, effectiveFrom: planned.effectiveFrom, replaces: planned.rate, reason })
          }
        />
      )}
    </>
  )
}
