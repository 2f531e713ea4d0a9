import clsx from 'clsx'
import type { ReactNode } from 'react'
import { T } from '#pwa/i18n/T.tsx'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { HistoryBalance } from './HistoryBalance.tsx'
import { HistorySize } from './HistorySize.tsx'
import { HistoryStatus } from './HistoryStatus.tsx'
import { type Explorers, TransactionLink } from './TransactionLink.tsx'
import type { HistoryRow } from './walkBalances.ts'

/** The history on tablets and larger screens. */
export function HistoryTable({ rows, explorers }: { rows: readonly HistoryRow[]; explorers: Explorers | undefined }) {
  return (
    <div className="overflow-x-auto rounded-card border border-ink-5 bg-surface max-md:hidden">
      <table className="w-full text-14">
        <thead>
          <tr className="border-b border-ink-5 text-left text-12 text-ink-9">
            <Head>{t('Transaction ID')}</Head>
            <Head>{t('Type')}</Head>
            <Head isRight>
              <T text="Amount/{wbr}Quantity" wbr={<wbr />} />
            </Head>
            <Head>{t('Status')}</Head>
            <Head>{t('Transaction Date (UTC)')}</Head>
            <Head>{t('Tx Hash')}</Head>
            <Head isRight>{t('XCR Balance')}</Head>
          </tr>
        </thead>
        <tbody className="divide-y divide-ink-5">
          {rows.map((row) => (
            <tr key={row.id} className="h-12">
              <td className="max-w-36 pr-1.5 pl-3 text-ink-10 lg:pr-3 lg:pl-5">
                <ShortId id={row.id} />
              </td>
              <td className="px-1.5 lg:px-3 lg:whitespace-nowrap">{translateServerText(row.type)}</td>
              <td className="min-w-21 px-1.5 py-1 text-right lg:pr-6 lg:pl-3">
                <HistorySize row={row} />
              </td>
              <td className="px-1.5 lg:px-3">
                <HistoryStatus row={row} />
              </td>
              <td className="figures px-1.5 text-ink-10 lg:px-3 lg:whitespace-nowrap">
                <time dateTime={row.date.toISOString()}>
                  <DateOverTime date={row.date} />
                </time>
                <span className="block text-12 text-ink-9">
                  <LocalTime date={row.date} hasDay />
                </span>
              </td>
              <td className="px-1.5 whitespace-nowrap lg:px-3">
                <TransactionLink transaction={row.transaction} explorers={explorers} />
              </td>
              <td className="min-w-24 py-1 pr-3 pl-1.5 text-right text-ink-9 lg:pr-5 lg:pl-3">
                <HistoryBalance balance={row.balance} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Where it is narrow, the only line break is before the time. */
function DateOverTime({ date }: { date: Date }) {
  const words = formatDateTime(date).split(' ')
  return (
    <>
      <span className="whitespace-nowrap">{words.slice(0, -2).join(' ')}</span>{' '}
      <span className="whitespace-nowrap">{words.slice(-2).join(' ')}</span>
    </>
  )
}

function Head({ isRight = false, children }: { isRight?: boolean; children: ReactNode }) {
  return (
    <th
      scope="col"
      className={clsx(
        'px-1.5 py-3 font-normal first:pl-3 last:pr-3 lg:px-3 lg:whitespace-nowrap lg:first:pl-5 lg:last:pr-5',
        isRight && 'text-right lg:not-last:pr-6',
      )}
    >
      {children}
    </th>
  )
}
