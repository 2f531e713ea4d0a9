import { useState } from 'react'
import type { RewardRate } from '#shared/contract/admin/office.ts'
import { t } from '#pwa/i18n/t.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { actorName } from './actorName.ts'
import { TakeBackRate } from './TakeBackRate.tsx'

interface RewardRateListProps {
  /** Newest first. */
  rates: readonly RewardRate[]
  /** The rate in force. */
  current: RewardRate | undefined
  now: Date
}

/** Number of past rates shown before "show more". */
const PAST_RATES_SHOWN = 4

/** Scheduled rates, the rate in force, and past rates. */
export function RewardRateList({ rates, current, now }: RewardRateListProps) {
  const [isWhole, setWhole] = useState(false)
  const past = rates.filter((rate) => rate.effectiveFrom <= now && rate !== current)
  const shown = isWhole ? rates : rates.filter((rate) => !past.slice(PAST_RATES_SHOWN).includes(rate))
  /** The rate that it replaces. */
  const before = (rate: RewardRate) => rates[rates.indexOf(rate) + 1]
  return (
    <div className="min-w-0">
      <h3 className="text-14 font-strong text-ink-11">{t('Planned and past rates')}</h3>
      <ul aria-label={t('Daily reward rates')} className="mt-2 divide-y divide-ink-4 rounded-input border border-ink-5">
        {shown.map((rate) => (
          <li
            key={rate.effectiveFrom.toISOString()}
            className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 px-3.5 py-2.5 text-14"
          >
            <span className="min-w-0 font-strong">
              <Amount value={rate.rate} unit="XCR" size={14} maxDecimals={18} />
            </span>
            <State rate={rate} isSame={rate.rate === before(rate)?.rate} current={current} now={now} />
            <span className="w-full text-ink-9 wrap-anywhere">
              <span className="figures text-ink-10">
                {rate.effectiveFrom.getTime() === 0
                  ? t('from the beginning')
                  : t('from {time}', { time: formatTime(rate.effectiveFrom) })}
              </span>
              {rate.setBy !== null && t(', set by {name}', { name: actorName(rate.setBy) })}
            </span>
            {rate.effectiveFrom > now && rate.rate !== before(rate)?.rate && (
              <TakeBackRate planned={rate} before={before(rate)?.rate ?? current?.rate ?? 0n} />
            )}
          </li>
        ))}
      </ul>
      {past.length > PAST_RATES_SHOWN && (
        <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t('Show less') : t('Show all {count}', { count: rates.length })}
        </TextButton>
      )}
    </div>
  )
}

function State({
  rate,
  isSame,
  current,
  now,
}: { rate: RewardRate; isSame: boolean } & Pick<RewardRateListProps, 'current' | 'now'>) {
  const paid = rate.isNext && t(' · next payout')
  if (rate.effectiveFrom > now && isSame)
    return (
      <StatusWord tone="neutral">
        {t('Planned, changes nothing')}
        {paid}
      </StatusWord>
    )
  if (rate.effectiveFrom > now)
    return (
      <StatusWord tone="waiting">
        {t('Planned')}
        {paid}
      </StatusWord>
    )
  if (rate === current)
    return (
      <StatusWord tone="done">
        {t('In effect')}
        {paid}
      </StatusWord>
    )
  return (
    <StatusWord tone="neutral">
      {t('Past')}
      {paid}
    </StatusWord>
  )
}
