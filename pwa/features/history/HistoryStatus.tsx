import { presentStatus } from '#pwa/lib/presentStatus.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import type { HistoryRow } from './walkBalances.ts'

export function HistoryStatus({ row: { status } }: { row: HistoryRow }) {
  const { tone, word } = presentStatus(status)
  return <StatusWord tone={tone}>{word}</StatusWord>
}
