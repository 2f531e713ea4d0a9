import { plural } from '#pwa/i18n/t.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import type { HistoryRow } from './walkBalances.ts'

/** Nodes with their price, or an amount. */
export function HistorySize({ row: { size } }: { row: HistoryRow }) {
  if ('xcr' in size) return <Amount value={size.xcr} unit="XCR" size={14} />
  return (
    <>
      <span className="figures font-strong whitespace-nowrap">{plural(size.nodes, '{count} node', '{count} nodes')}</span>
      {size.usdt > 0n && (
        <span className="text-ink-10">
          {' · '}
          <span className="inline-block">
            <Amount value={size.usdt} unit="USDT" size={14} />
          </span>
        </span>
      )}
    </>
  )
}
