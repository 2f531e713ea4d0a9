import { useEffect } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { restorePlace, roundPlace, usePlaceInLine } from './placeInLine.ts'

/** How many reservations come before the user's own, while it waits for longer than a second. */
export function PlaceNotice() {
  const before = usePlaceInLine((store) => store.before)
  useEffect(restorePlace, [])
  return (
    <div role="status">
      {before !== null && (
        <p className="pb-3 text-center text-14 text-ink-10">
          <span className="block font-medium text-ink-12 tabular-nums">{describePlace(before)}</span>
          {t('Your place is kept, even if you reload this page.')}
        </p>
      )}
    </div>
  )
}

function describePlace(before: number): string {
  if (before === 0) return t('You are next.')
  const rounded = roundPlace(before)
  const count = formatCount(rounded)
  return rounded < 20 ? t('{count} before you', { count }) : t('About {count} before you', { count })
}
