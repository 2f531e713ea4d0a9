import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { Countdown } from './Countdown.tsx'
import { LocalTime } from './LocalTime.tsx'

/** Shown in place of the buy buttons before the sale starts. */
export function SaleCountdown({ startsAt, now }: { startsAt: Date; now: Date }) {
  return (
    <>
      <p className="mb-3 text-14 text-ink-10">
        {t('Sales start {time}', { time: formatDateTime(startsAt) })}
        <LocalTime date={startsAt} hasDay />
      </p>
      <Countdown target={startsAt} now={now} />
      <p className="mt-3 text-14 text-ink-9">{t('Prepare your wallet and USDT before launch.')}</p>
    </>
  )
}
