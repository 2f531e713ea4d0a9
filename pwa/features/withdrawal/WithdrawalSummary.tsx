import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Amount } from '#pwa/ui/Amount.tsx'

/** The amount, the fee, and the amount received. */
export function WithdrawalSummary({ amount, fee }: { amount: bigint | undefined; fee: bigint }) {
  const asked = amount ?? 0n
  return (
    <section aria-label={t('Summary')} className="rounded-card border border-ink-5 bg-ink-2">
      <dl className="px-4 pt-1.5">
        <Line name={t('Amount')}>
          <Amount value={asked} unit="XCR" minDecimals={2} />
        </Line>
        <Line name={t('Fixed fee')}>
          <Amount value={fee} unit="XCR" minDecimals={2} />
        </Line>
      </dl>
      <dl aria-live="polite" className="mx-4 mt-1 border-t border-ink-5 pt-1 pb-1.5">
        <Line name={t('Actual amount after fee')} isStrong>
          <Amount value={asked > fee ? asked - fee : 0n} unit="XCR" minDecimals={2} className="font-strong" />
        </Line>
      </dl>
    </section>
  )
}

function Line({ name, isStrong = false, children }: { name: string; isStrong?: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4 py-1.5">
      <dt className={isStrong ? 'font-strong' : 'text-14 text-ink-10'}>{name}</dt>
      <dd className="ml-auto min-w-0 text-right">{children}</dd>
    </div>
  )
}
