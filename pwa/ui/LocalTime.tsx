import { useLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { useIsHydrated } from '#pwa/lib/useIsHydrated.ts'

/** "18:00 your time", beside a UTC time. Rendered after hydration, because the server does not know the user's time zone. */
export function LocalTime({ date, hasDay = false }: { date: Date; hasDay?: boolean }) {
  const language = useLanguage((state) => state.language)
  if (!useIsHydrated() || date.getTimezoneOffset() === 0) return null
  const time = date.toLocaleString(language === 'ko' ? 'ko-KR' : 'en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(hasDay && { day: 'numeric', month: 'short' }),
  })
  return (
    <>
      {' '}
      <span translate="no" className="whitespace-nowrap">
        ({t('{time} your time', { time })})
      </span>
    </>
  )
}
