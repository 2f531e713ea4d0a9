import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'

const units = [
  { name: msg('Days'), size: DAY, wrap: Number.POSITIVE_INFINITY },
  { name: msg('Hours'), size: HOUR, wrap: 24 },
  { name: msg('Minutes'), size: MINUTE, wrap: 60 },
  { name: msg('Seconds'), size: SECOND, wrap: 60 },
] as const

/** Days, hours, minutes and seconds until an instant. */
export function Countdown({ target, now }: { target: Date; now: Date }) {
  const left = Math.max(0, target.getTime() - now.getTime())
  return (
    <div role="timer" aria-label={t('Until {time}', { time: formatDateTime(target) })} className="grid grid-cols-4 gap-2">
      {units.map(({ name, size, wrap }) => (
        <div key={name}>
          <span className="figures block text-28 font-strong">{String(Math.floor(left / size) % wrap).padStart(2, '0')}</span>
          <span className="block text-12 text-ink-9">{translate(name)}</span>
        </div>
      ))}
    </div>
  )
}
