import type { Language } from '#shared/languages.ts'
import { useLanguage } from '#pwa/i18n/language.ts'

const locales: Record<Language, string> = { en: 'en-GB', ko: 'ko-KR' }
/** 02 Dec, but 12월 2일. */
const days: Record<Language, '2-digit' | 'numeric'> = { en: '2-digit', ko: 'numeric' }
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(name: 'day' | 'dateTime'): Intl.DateTimeFormat {
  const { language } = useLanguage.getState()
  const key = language + name
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(locales[language], {
    timeZone: 'UTC',
    day: days[language],
    month: 'short',
    year: 'numeric',
    ...(name === 'dateTime' && time),
  })
  formats.set(key, made)
  return made
}

/** 20 Nov 2026, 07:31 UTC */
export const formatDateTime = (date: Date): string => `${formatOf('dateTime').format(date)} UTC`

/** 20 Nov 2026, the day in UTC. */
export const formatDate = (date: Date): string => formatOf('day').format(date)
