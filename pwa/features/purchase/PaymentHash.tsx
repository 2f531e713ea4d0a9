import { useQuery } from '@tanstack/react-query'
import { shorten } from '#shared/address.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { ExternalLink } from '#pwa/ui/icons.ts'

/** The payment's shortened transaction hash, with a copy button and a block explorer link. */
export function PaymentHash({ hash }: { hash: `0x${string}` }) {
  const { data: config } = useQuery(configQuery)
  return (
    <div className="flex items-center rounded-input border border-ink-5 bg-ink-2 py-0.5 pr-1 pl-4 text-14">
      <span className="flex-1 text-ink-9">
        {t('Transaction')}{' '}
        <span translate="no" className="exact text-ink-12">
          {shorten(hash)}
        </span>
      </span>
      <CopyButton value={hash} what={t('transaction hash')} />
      {config && (
        <a
          href={`${config.paymentChain.explorerUrl}/tx/${hash}`}
          target="_blank"
          rel="noreferrer"
          aria-label={t('Transaction in the block explorer')}
          className="grid size-11 shrink-0 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
        >
          <ExternalLink size={18} aria-hidden />
        </a>
      )}
    </div>
  )
}
