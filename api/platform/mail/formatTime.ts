import { utcDay } from '#shared/dates.ts'
import type { Language } from '#shared/languages.ts'

interface Formats {
  /** A date in UTC. */
  day(date: Date): string
  minute(date: Date): string
  /** A point in time, for tables. */
  instant(date: Date): string
}

let format: Intl.DateTimeFormat | undefined
/** Loading the format takes several milliseconds, which a start without mails saves. */
const koreanDay = (date: Date): string =>
  (format ??= new Intl.DateTimeFormat('ko-KR', { timeZone: 'UTC', dateStyle: 'long' })).format(date)
const koreanMinute = (date: Date) => `${koreanDay(date)} ${date.toISOString().slice(11, 16)} UTC`

/** Date and time formats of mails. */
export const formatTime: Record<Language, Formats> = {
  en: {
    day: utcDay,
    minute: (date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    instant: (date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  },
  ko: { day: koreanDay, minute: koreanMinute, instant: koreanMinute },
}
