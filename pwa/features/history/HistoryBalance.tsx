import { translateServerText } from '#pwa/i18n/t.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import type { HistoryRow } from './walkBalances.ts'

/** The running balance; muted, because the amount matters more. */
export function HistoryBalance({ balance }: Pick<HistoryRow, 'balance'>) {
  if (balance === null) return <span>–</span>
  if (typeof balance === 'string') return <span>{translateServerText(balance)}</span>
  return <Amount value={balance} unit="XCR" size={14} minDecimals={2} />
}
