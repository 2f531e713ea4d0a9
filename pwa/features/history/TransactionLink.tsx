import { ExternalLink } from '#pwa/ui/icons.ts'
import { shorten } from '#shared/address.ts'
import { t } from '#pwa/i18n/t.ts'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import type { HistoryRow } from './walkBalances.ts'

export type Explorers = Record<NonNullable<HistoryRow['transaction']>['chain'], string>

/** A shortened transaction hash with links to the explorer and the clipboard. */
export function TransactionLink({
  transaction,
  explorers,
}: Pick<HistoryRow, 'transaction'> & { explorers: Explorers | undefined }) {
  if (!transaction) return <span className="text-ink-9">–</span>
  const { hash, chain } = transaction
  return (
    <span className="-mr-3 inline-flex items-center">
      <a
        href={explorers && `${explorers[chain]}/tx/${hash}`}
        target="_blank"
        rel="noreferrer"
        className="exact inline-flex min-h-11 items-center gap-1.5 text-accent underline-offset-2 hover:underline"
      >
        <span translate="no">{shorten(hash)}</span>
        <ExternalLink size={14} aria-label={t('in the block explorer')} className="text-ink-9 md:max-lg:hidden" />
      </a>
      <CopyButton value={hash} what={t('transaction hash')} failed={t('Failed to copy transaction hash.')} />
    </span>
  )
}
