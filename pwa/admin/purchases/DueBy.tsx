import { plural, t } from '#pwa/i18n/t.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { countBusinessDays } from './countBusinessDays.ts'

/** Time left of the five business days within which a payment in review must be handled. */
export function DueBy({ dueBy }: { dueBy: Date }) {
  const now = useProductTime()
  const left = countBusinessDays(now, dueBy)
  const title = t('Due by {time}', { time: formatTime(dueBy) })
  if (now > dueBy)
    return (
      <StatusWord tone="refused" title={title}>
        {left === 0 ? t('Overdue since today') : plural(-left, '{count} business day overdue', '{count} business days overdue')}
      </StatusWord>
    )
  return (
    <StatusWord tone={left <= 1 ? 'waiting' : 'neutral'} title={title}>
      {left === 0 ? t('Due today') : plural(left, '{count} business day left', '{count} business days left')}
    </StatusWord>
  )
}
