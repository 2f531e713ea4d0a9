import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'

/** Totals over all rows that match the filter, not only those on this page. */
export const Summary = ({ figures }: { figures: readonly (readonly [name: string, figure: ReactNode])[] }) => (
  <dl
    aria-label={t('Summary of the filter')}
    className="mb-4 grid grid-cols-2 gap-px overflow-hidden rounded-card border border-ink-5 bg-ink-5 desk:grid-cols-[repeat(auto-fit,minmax(0,1fr))]"
  >
    {figures.map(([name, figure]) => (
      <div key={name} className="bg-surface px-4 py-2.5 max-desk:last:odd:col-span-2">
        <dt className="text-12 text-ink-9">{name}</dt>
        <dd className="figures text-20 font-strong">{figure}</dd>
      </div>
    ))}
  </dl>
)
