import { useId } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { chooseZone, deviceZone, useZoneChoice, zoneChoices, type ZoneChoice as Choice } from './officeZone.ts'

/** The zone in which all lists show their times and take their dates. */
export function ZoneChoice() {
  const id = useId()
  const { choice } = useZoneChoice()
  const labels: Record<Choice, string> = {
    lists: t('As in each list'),
    utc: 'UTC',
    seoul: t('Seoul'),
    device: t('This device: {zone}', { zone: deviceZone() }),
  }
  return (
    <span className="inline-flex min-h-11 min-w-0 items-center gap-2 text-14">
      <label htmlFor={id} className="text-ink-10">
        {t('Times')}
      </label>
      <select
        id={id}
        value={choice}
        onChange={({ target }) => chooseZone(zoneChoices.find((one) => one === target.value) ?? 'lists')}
        className="min-h-11 max-w-52 min-w-0 truncate rounded-input border border-ink-6 bg-surface px-2 text-14 text-ink-12"
      >
        {zoneChoices.map((one) => (
          <option key={one} value={one}>
            {labels[one]}
          </option>
        ))}
      </select>
    </span>
  )
}
