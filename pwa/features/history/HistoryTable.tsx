import type { ReactNode } from 'react'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { HistoryBalance } from './HistoryBalance.tsx'
import { HistorySize } from './HistorySize.tsx'
import { shortId } from './shortId.ts'
import { type Explorers, TransactionLink } from './TransactionLink.tsx'
import type { HistoryRow } from './walkBalances.ts'

/** The history from a tablet upwards. */
export function HistoryTable({ rows, explorers }: { rows: readonly HistoryRow[]; explorers: Explorers | undefined }) {
  return (
    <div className="overflow-x-auto rounded-card border border-ink-5 bg-surface max-md:hidden">
      <table className="w-full text-14">
        <thead>
          <tr className="border-b border-ink-5 text-left text-12 text-ink-9">
            <Head>Transaction ID</Head>
            <Head>Type</Head>
            <Head isRight>Amount/Quantity</Head>
            <Head>Status</Head>
            <Head>Transaction Date</Head>
            <Head>Tx Hash</Head>
            <Head isRight>XCR Balance</Head>
          </tr>
        </thead>
        <tbody className="divide-y divide-ink-5">
          {rows.map((row) => (
            <tr key={row.id}>
              <td className="exact px-3 py-1.5 pl-5 whitespace-nowrap text-ink-10" title={row.id}>
                {shortId(row.id)}
              </td>
              <td className="px-3 py-1.5 whitespace-nowrap">{row.type}</td>
              <td className="py-1.5 pr-8 pl-3 text-right whitespace-nowrap">
                <HistorySize row={row} />
              </td>
              <td className="px-3 py-1.5">
                <StatusWord tone={row.status.tone}>{row.status.word}</StatusWord>
              </td>
              <td className="figures px-3 py-1.5 whitespace-nowrap text-ink-10">
                <time dateTime={row.date.toISOString()}>{formatDateTime(row.date)}</time>
              </td>
              <td className="px-3 py-1.5 whitespace-nowrap">
                <TransactionLink transaction={row.transaction} explorers={explorers} />
              </td>
              <td className="px-3 py-1.5 pr-5 text-right whitespace-nowrap text-ink-9">
                <HistoryBalance balance={row.balance} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Head({ isRight = false, children }: { isRight?: boolean; children: ReactNode }) {
  return (
    <th
      scope="col"
      className={`px-3 py-3 font-normal whitespace-nowrap first:pl-5 last:pr-5 ${isRight ? 'text-right not-last:pr-8' : ''}`}
    >
      {children}
    </th>
  )
}
