import { useQuery } from '@tanstack/react-query'
import type { RewardRate } from '#shared/contract/admin/office.ts'
import { t } from '#pwa/i18n/t.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { ProposedChange } from '../proposals/ProposedChange.tsx'
import { rewardRatesQuery } from '../queries.ts'
import { RewardRateList } from './RewardRateList.tsx'
import { ScheduleRateForm } from './ScheduleRateForm.tsx'
import { SettingError } from './SettingError.tsx'
import { actorName } from './actorName.ts'

/** The daily reward of a node: current, past and scheduled rates. */
export function DailyRewardCard() {
  const { data: rates, error, refetch } = useQuery(rewardRatesQuery)
  return (
    <Card>
      <CardHeader title={t('Daily reward')} />
      {error && !rates && <SettingError error={error} onRetry={() => void refetch()} />}
      {!error && !rates && <Skeleton className="h-80" />}
      <ProposedChange actions={['settings.change']} target="xcr_per_node_daily" show={showProposed} />
      {rates && <Rates rates={rates} />}
    </Card>
  )
}

/** A rate that is proposed says from when it would be paid. */
function showProposed(record: unknown): string {
  const { value, effectiveFrom } = record as { value: string; effectiveFrom?: string }
  return effectiveFrom ? t('{rate} XCR, from {time}', { rate: value, time: formatTime(new Date(effectiveFrom)) }) : `${value} XCR`
}

function Rates({ rates }: { rates: readonly RewardRate[] }) {
  const now = useProductTime()
  // Sorted newest first, so the first rate that has started is in force.
  const current = rates.find(({ effectiveFrom }) => effectiveFrom <= now)
  return (
    <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
      <div className="flex flex-col gap-5">
        {current && (
          <div>
            <p className="text-14 text-ink-10">{t('Each active node earns')}</p>
            <p className="mt-1">
              <Amount value={current.rate} unit={t('XCR a day')} size={28} />
            </p>
            <p className="mt-1 text-14 text-ink-9 wrap-anywhere">{describeOrigin(current)}</p>
          </div>
        )}
        <ScheduleRateForm rates={rates} />
      </div>
      <RewardRateList rates={rates} current={current} now={now} />
    </div>
  )
}

function describeOrigin({ effectiveFrom, setBy }: RewardRate): string {
  const time = effectiveFrom.getTime() === 0 ? undefined : formatTime(effectiveFrom)
  if (setBy === null) return time ? t('Since {time}.', { time }) : t('From the beginning.')
  const name = actorName(setBy)
  return time ? t('Since {time}, set by {name}.', { time, name }) : t('From the beginning, set by {name}.', { name })
}
