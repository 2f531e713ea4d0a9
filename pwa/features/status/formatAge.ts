import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'

/** For example "3 minutes": the largest unit with a count of at least two. */
export function formatAge(milliseconds: number): string {
  if (milliseconds >= 2 * DAY) return t('{count} days', { count: Math.floor(milliseconds / DAY) })
  if (milliseconds >= 2 * HOUR) return t('{count} hours', { count: Math.floor(milliseconds / HOUR) })
  if (milliseconds >= 2 * MINUTE) return t('{count} minutes', { count: Math.floor(milliseconds / MINUTE) })
  return milliseconds >= MINUTE ? t('1 minute') : t('less than a minute')
}
