import { t } from '#pwa/i18n/t.ts'

export type FieldMark = 'free' | 'sold' | 'mine' | 'bonus'

/** The marks of the field, larger: told apart by size and shape as well as by colour. */
const marks = {
  free: <circle cx="6" cy="6" r="2.25" className="fill-point" />,
  sold: <circle cx="6" cy="6" r="3.75" className="fill-ink-11" />,
  mine: <circle cx="6" cy="6" r="4.75" className="fill-accent" />,
  bonus: <circle cx="6" cy="6" r="4" className="fill-transparent stroke-accent" strokeWidth="1.75" />,
} satisfies Record<FieldMark, unknown>

/** What the points mean, and between which numbers they lie. */
export function FieldLegend({ entries, range }: { entries: readonly { mark: FieldMark; label: string }[]; range: number }) {
  return (
    <div className="mt-3 flex items-baseline justify-between gap-4 text-12 text-ink-9">
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {entries.map(({ mark, label }) => (
          <li key={mark} className="figures flex items-center gap-1.5">
            <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden>
              {marks[mark]}
            </svg>
            <span className="text-14 text-ink-10">{label}</span>
          </li>
        ))}
      </ul>
      <span aria-hidden translate="no" className="figures hidden shrink-0 desk:inline">
        {t('Nº 1 – {count}', { count: range })}
      </span>
    </div>
  )
}
