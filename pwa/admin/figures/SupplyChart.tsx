import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'

interface SupplyChartProps {
  total: number
  paid: number
  bonus: number
  /** Reserved by purchases that are not paid yet. */
  held: number
}

/** The total supply by state, with the same marks as the node field. */
export function SupplyChart({ total, paid, bonus, held }: SupplyChartProps) {
  const free = Math.max(0, total - paid - bonus - held)
  const parts = [
    { name: t('Paid'), count: paid, look: 'bg-accent' },
    { name: t('Bonus'), count: bonus, look: 'border-2 border-accent bg-accent-soft' },
    { name: t('Reserved'), count: held, look: 'border-2 border-dashed border-amber bg-amber-soft' },
    { name: t('Available'), count: free, look: 'border border-ink-8 bg-ink-3' },
  ]
  return (
    <figure>
      <figcaption className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="text-14 font-strong">{t('Nodes sold and supply')}</span>
        <span className="figures text-12 text-ink-9">
          {t('{count} of {total}', { count: paid + bonus, total })} · {percentOf(paid + bonus, total)}
        </span>
      </figcaption>
      <div aria-hidden className="flex h-6 gap-0.5">
        {parts.map(
          ({ name, count, look }) =>
            count > 0 && (
              <span
                key={name}
                // Set by script, because the Content-Security-Policy refuses style attributes in markup.
                style={{ flexGrow: count }}
                className={`min-w-1 basis-0 rounded-[3px] ${look}`}
              />
            ),
        )}
      </div>
      <dl className="mt-4 grid grid-cols-2 gap-x-6 text-14 sm:grid-cols-4">
        {parts.map(({ name, count, look }) => (
          <div key={name} className="flex items-baseline justify-between gap-2 py-1 sm:block">
            <dt className="inline-flex items-center gap-1.5 text-ink-10">
              <span aria-hidden className={`size-2.5 rounded-[3px] ${look}`} /> {name}
            </dt>
            <dd className="figures">
              {formatCount(count)} <span className="text-12 text-ink-9">{percentOf(count, total)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  )
}

const percentOf = (part: number, whole: number): string => `${(whole > 0 ? (part / whole) * 100 : 0).toFixed(1)}%`
