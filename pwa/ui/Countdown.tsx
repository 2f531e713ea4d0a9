import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'

const units = [
  { name: 'Days', size: DAY, wrap: Number.POSITIVE_INFINITY },
  { name: 'Hours', size: HOUR, wrap: 24 },
  { name: 'Minutes', size: MINUTE, wrap: 60 },
  { name: 'Seconds', size: SECOND, wrap: 60 },
] as const

/** Days, hours, minutes and seconds to a moment. */
export function Countdown({ target, now }: { target: Date; now: Date }) {
  const left = Math.max(0, target.getTime() - now.getTime())
  return (
    <div role="timer" aria-label={`Until ${target.toISOString()}`} className="grid grid-cols-4 gap-2">
      {units.map(({ name, size, wrap }) => (
        <div key={name}>
          <span className="figures block text-28 font-strong">{String(Math.floor(left / size) % wrap).padStart(2, '0')}</span>
          <span className="block text-12 text-ink-9">{name}</span>
        </div>
      ))}
    </div>
  )
}
