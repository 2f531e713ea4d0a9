import type { ReactNode } from 'react'
import type { ServiceStatus } from '#shared/contract/status.ts'
import { MINUTE } from '#shared/dates.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { formatDate, formatDateTime } from '#pwa/lib/formatDate.ts'
import { useProductTime, useServerTime } from '#pwa/lib/serverClock.ts'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { formatAge } from './formatAge.ts'
import { useShownVerdict } from './useShownVerdict.ts'

/** A younger block is not worth a line. */
const SHOWN_AGE = 2 * MINUTE

/** How far each part is. */
export function PartsCard({ status }: { status: ServiceStatus }) {
  const { payments, rewards, payouts, register } = status
  const isKnown = useShownVerdict(status) !== 'outdated'
  return (
    <Card>
      <CardHeader title={t('How far each part is')} />
      <ul className="-mb-3 divide-y divide-ink-5 border-t border-ink-5">
        <Part name={t('Payments')} state={payments.state} isKnown={isKnown}>
          <Payments payments={payments} />
        </Part>
        <Part name={t('Daily rewards')} state={rewards.state} isKnown={isKnown}>
          {rewards.lastDay
            ? t('Paid up to {date}', { date: formatDate(new Date(rewards.lastDay)) })
            : t('No day has been paid yet')}
        </Part>
        <Part name={t('Payouts')} state={payouts.state} isKnown={isKnown}>
          <Payouts payouts={payouts} />
        </Part>
        {register && (
          <Part name={t('Public register')} state={register.state} isKnown={isKnown}>
            {register.lastDay
              ? t('Published up to {date}', { date: formatDate(new Date(register.lastDay)) })
              : t('Nothing published yet')}
            <br />
            {register.anchoredAt
              ? t('Anchored on the blockchain {time}', { time: formatDateTime(register.anchoredAt) })
              : t('Not anchored on a blockchain')}
          </Part>
        )}
      </ul>
    </Card>
  )
}

interface PartProps {
  name: string
  state: string
  /** False for figures of the past. */
  isKnown: boolean
  children: ReactNode
}

const Part = ({ name, state, isKnown, children }: PartProps) => (
  <li className="py-3">
    <div className="flex flex-wrap items-center justify-between gap-x-4">
      <h3 className="font-strong text-ink-12">{name}</h3>
      <State isOnTime={state === 'ok'} isKnown={isKnown} />
    </div>
    <p className="figures mt-0.5 text-14 text-ink-10">{children}</p>
  </li>
)

function State({ isOnTime, isKnown }: { isOnTime: boolean; isKnown: boolean }) {
  if (!isKnown) return <StatusWord tone="neutral">{isOnTime ? t('Was on time') : t('Was delayed')}</StatusWord>
  return isOnTime ? <StatusWord tone="done">{t('On time')}</StatusWord> : <StatusWord tone="waiting">{t('Delayed')}</StatusWord>
}

function Payments({ payments: { block, blockTime, blocksBehind } }: Pick<ServiceStatus, 'payments'>) {
  const now = useServerTime().getTime()
  if (block === null || blockTime === null) return t('No block has been read yet')
  const age = now - blockTime.getTime()
  return (
    <>
      {t('Read up to block {block}', { block: formatCount(block) })}
      {blocksBehind > 0 && (
        <>
          <br />
          {plural(blocksBehind, '{count} block behind', '{count} blocks behind')}
        </>
      )}
      {age >= SHOWN_AGE && (
        <>
          <br />
          {t('That block is {age} old', { age: formatAge(age) })}
        </>
      )}
    </>
  )
}

function Payouts({ payouts: { waiting, oldest } }: Pick<ServiceStatus, 'payouts'>) {
  const now = useProductTime().getTime()
  if (waiting === 0 || oldest === null) return t('None is waiting')
  return (
    <>
      {plural(waiting, '{count} is waiting', '{count} are waiting')}
      <br />
      {t('The oldest for {age}', { age: formatAge(now - oldest.getTime()) })}
      <br />
      {t('Withdrawals in review are not counted')}
    </>
  )
}
