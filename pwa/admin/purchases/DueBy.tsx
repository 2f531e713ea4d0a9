import { useProductTime } from '#pwa/lib/productClock.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { countBusinessDays } from './countBusinessDays.ts'

const days = (count: number) => `${count} business ${count === 1 ? 'day' : 'days'}`

/** How much is left of the five business days in which a payment that waits is promised to be dealt with. */
export function DueBy({ dueBy }: { dueBy: Date }) {
  const now = useProductTime()
  const left = countBusinessDays(now, dueBy)
  const title = `Promised by ${formatDateTime(dueBy)}`
  if (now > dueBy)
    return (
      <StatusWord tone="refused" title={title}>
        {left === 0 ? 'Overdue since today' : `${days(-left)} overdue`}
      </StatusWord>
    )
  return (
    <StatusWord tone={left <= 1 ? 'waiting' : 'neutral'} title={title}>
      {left === 0 ? 'Due today' : `${days(left)} left`}
    </StatusWord>
  )
}
