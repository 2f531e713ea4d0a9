import { t, translateServerText } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { HistoryBalance } from './HistoryBalance.tsx'
import { HistorySize } from './HistorySize.tsx'
import { HistoryStatus } from './HistoryStatus.tsx'
import { type Explorers, TransactionLink } from './TransactionLink.tsx'
import type { HistoryRow } from './walkBalances.ts'

/** The history on a phone: one card per entry. */
export function HistoryCards({ rows, explorers }: { rows: readonly HistoryRow[]; explorers: Explorers | undefined }) {
  return (
    <ul className="flex flex-col gap-3 md:hidden">
      {rows.map((row) => (
        <li key={row.id} className="rounded-card border border-ink-5 bg-surface px-4 pt-3.5 pb-1.5">
          <div className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="font-strong">{translateServerText(row.type)}</span>
            <HistoryStatus row={row} />
          </div>
          <div className="mt-1 flex flex-wrap items-baseline justify-between gap-x-3 text-14">
            <time dateTime={row.date.toISOString()} className="figures flex flex-col text-ink-9">
              <span>{formatDateTime(row.date)}</span>
              <LocalTime date={row.date} hasDay />
            </time>
            <span className="ml-auto text-right">
              <HistorySize row={row} />
            </span>
          </div>
          {row.balance !== null && (
            <div className="mt-1 flex flex-wrap items-baseline justify-between gap-x-3 text-14 text-ink-9">
              <span className="shrink-0">{t('XCR Balance')}</span>
              <span className="ml-auto text-right">
                <HistoryBalance balance={row.balance} />
              </span>
            </div>
          )}
          <div className="mt-2.5 flex min-h-9 items-center justify-between gap-3 border-t border-ink-5 pt-1 text-14">
            <span className="min-w-0 text-ink-9">
              <ShortId id={row.id} />
            </span>
            <TransactionLink transaction={row.transaction} explorers={explorers} />
          </div>
        </li>
      ))}
    </ul>
  )
}
