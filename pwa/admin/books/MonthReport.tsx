import type { ReactNode } from 'react'
import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import type { Month } from '#shared/contract/admin/books.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { formatTime } from '../zone/officeZone.ts'

type Line = readonly [name: string, figure: ReactNode, isTotal?: boolean]

/** Every decimal, because the figures have to add up. */
const exact = (value: bigint, unit: string) => <span translate="no">{`${formatAmount(value, { grouped: true })} ${unit}`}</span>
const usdt = (value: bigint) => exact(value, 'USDT')
const xcr = (value: bigint) => exact(value, 'XCR')
/** With a minus sign: it reduces the sum. */
const less = (value: bigint, figure: ReactNode) => (value > 0n ? <>−{figure}</> : figure)

/** The figures of one month: what was sold, received, owed, paid and left, and whether the audit agrees. */
export function MonthReport({ report }: { report: Month }) {
  const { sold, bonusNodes, received, refunded, owed, paid, fees, hotWallet, audit, isFinal, isBeforeSetup, openWithdrawals } =
    report
  return (
    <>
      <p className="mb-4">
        {isBeforeSetup ? (
          <StatusWord tone="neutral">{t('This month was before the installation')}</StatusWord>
        ) : isFinal ? (
          <StatusWord tone="done">{t('This month is final')}</StatusWord>
        ) : (
          <span className="flex flex-wrap items-center gap-x-3">
            <StatusWord tone="waiting">{t('These figures may still change')}</StatusWord>
            {openWithdrawals > 0 && (
              <span className="figures text-14 text-ink-10">
                {plural(openWithdrawals, '{count} withdrawal is still open', '{count} withdrawals are still open')}
              </span>
            )}
          </span>
        )}
      </p>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Part
          title={t('Sold')}
          lines={[
            [t('Purchases'), formatCount(sold.count)],
            [t('Paid nodes'), formatCount(sold.nodes)],
            [t('Bonus nodes'), formatCount(bonusNodes)],
            [t('Revenue'), usdt(sold.usdt), true],
          ]}
        />
        <Part
          title={t('Payments received')}
          lines={[
            [t('Used for nodes'), usdt(received.used)],
            [t('In review'), usdt(received.inReview)],
            [t('Ignored'), usdt(received.ignored)],
            [t('Refunded, now or later'), usdt(received.returned)],
            [plural(received.count, '{count} deposit', '{count} deposits'), usdt(received.usdt), true],
            [t('Refunds made this month ({count})', { count: refunded.count }), less(refunded.usdt, usdt(refunded.usdt))],
          ]}
        />
        <Part
          title={t('Owed to holders')}
          lines={[
            [t('At the beginning'), xcr(owed.opening)],
            [t('Rewards'), xcr(owed.rewarded)],
            [t('Withdrawals requested'), less(owed.requested, xcr(owed.requested))],
            [t('Withdrawals refunded'), xcr(owed.refunded)],
            ...(owed.debts + owed.debtsPaid > 0n
              ? ([
                  [t('Paid beyond a balance'), xcr(owed.debts)],
                  [t('Repaid of that'), less(owed.debtsPaid, xcr(owed.debtsPaid))],
                ] as const)
              : []),
            [t('At the end'), xcr(owed.closing), true],
          ]}
        />
        <Part
          title={t('Paid out')}
          lines={[
            [t('Withdrawals completed'), formatCount(paid.count)],
            [t('Paid to wallets'), xcr(paid.xcr), true],
            [t('Fees kept'), xcr(fees)],
          ]}
        />
        <Part
          title={t('Hot wallet')}
          lines={[
            [t('Sent for withdrawals ({count})', { count: hotWallet.withdrawals.count }), xcr(hotWallet.withdrawals.xcr)],
            [t('Fees swept out ({count})', { count: hotWallet.sweeps.count }), xcr(hotWallet.sweeps.xcr)],
            [t('Sent in total'), xcr(hotWallet.withdrawals.xcr + hotWallet.sweeps.xcr), true],
            ...linesOfBalances(hotWallet.balances),
          ]}
        />
        <Differences audit={audit} />
      </div>
    </>
  )
}

const Differences = ({ audit }: Pick<Month, 'audit'>) => (
  <Card className="sm:p-5!">
    <h3 className="text-16 font-strong">{t('Differences')}</h3>
    <div className="mt-2 text-14">
      {audit ? (
        <>
          <StatusWord tone={audit.differences.length > 0 ? 'refused' : audit.unchecked.length > 0 ? 'waiting' : 'done'}>
            {audit.differences.length > 0
              ? plural(audit.differences.length, '{count} difference in the books', '{count} differences in the books')
              : t('The audit found none')}
          </StatusWord>
          <p className="mt-1 text-12 text-ink-10">{t('Last audit: {time}', { time: formatTime(audit.at) })}</p>
          {[...audit.differences, ...audit.unchecked].map((line) => (
            <p key={line} className="mt-1 text-12 wrap-anywhere">
              {line}
            </p>
          ))}
        </>
      ) : (
        <Notice>{t('No audit has run yet.')}</Notice>
      )}
    </div>
  </Card>
)

type Balances = Month['hotWallet']['balances']

/** What was read on the chain, each with its time: the chain is not asked for the past. */
const linesOfBalances = (balances: Balances): Line[] =>
  balances.length === 0
    ? [[t('Balance on the chain'), t('not read in this month')]]
    : balances.flatMap(({ wallet, opening, closing }) => [
        [t('First balance read, {wallet}', { wallet: shorten(wallet) }), <Reading key="first" reading={opening} />] as const,
        [t('Last balance read, {wallet}', { wallet: shorten(wallet) }), <Reading key="last" reading={closing} />] as const,
      ])

const Reading = ({ reading }: { reading: Balances[number]['opening'] }) =>
  reading ? (
    <>
      <span className="block">{xcr(reading.tokens)}</span>
      <span className="block">{exact(reading.coins, 'XP')}</span>
      <span className="block text-12 text-ink-10">
        {t('{time}, block {block}', { time: formatTime(reading.at), block: reading.blockNumber })}
      </span>
    </>
  ) : (
    t('not read')
  )

const Part = ({ title, lines }: { title: string; lines: readonly Line[] }) => (
  <Card className="sm:p-5!">
    <h3 className="text-16 font-strong">{title}</h3>
    <dl className="figures mt-2 divide-y divide-ink-4 text-14">
      {lines.map(([name, figure, isTotal]) => (
        <div
          key={name}
          className={`flex flex-wrap items-baseline justify-between gap-x-4 py-1.5 ${isTotal ? 'font-strong' : ''}`}
        >
          <dt className={isTotal ? undefined : 'text-ink-10'}>{name}</dt>
          <dd className="min-w-0 text-right [overflow-wrap:anywhere]">{figure}</dd>
        </div>
      ))}
    </dl>
  </Card>
)
