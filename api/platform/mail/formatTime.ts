import type { Language } from '#shared/languages.ts'

interface Formats {
  /** A date in UTC. */
  day(date: Date): string
  minute(date: Date): string
  /** A point in time, for tables. */
  instant(date: Date): string
}

const formats: Partial<Record<Language, Intl.DateTimeFormat>> = {}
/** Loading the format takes several milliseconds, which a start without mails saves. */
const dayIn = (language: Language, locale: string, style: Intl.DateTimeFormatOptions) => (date: Date) =>
  (formats[language] ??= new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...style })).format(date)

/** 20 Nov 2026, as on the pages. */
const englishDay = dayIn('en', 'en-GB', { day: '2-digit', month: 'short', year: 'numeric' })
const koreanDay = dayIn('ko', 'ko-KR', { dateStyle: 'long' })
const minuteOf = (date: Date) => `${date.toISOString().slice(11, 16)} UTC`
const koreanMinute = (date: Date) => `${koreanDay(date)} ${minuteOf(date)}`

/** Date and time formats of mails. */
export const formatTime: Record<Language, Formats> = {
  en: {
    day: englishDay,
    minute: (date) => `${englishDay(date)}, ${minuteOf(date)}`,
    instant: (date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  },
  ko: { day: koreanDay, minute: koreanMinute, instant: koreanMinute },
}
