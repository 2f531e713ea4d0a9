import { t } from '#pwa/i18n/t.ts'

export type FieldMark = 'free' | 'sold' | 'mine' | 'bonus'

/** The marks of the field, enlarged; they differ in size and shape as well as color. */
const marks = {
  free: <circle cx="6" cy="6" r="2.25" className="fill-point" />,
  sold: <circle cx="6" cy="6" r="3.75" className="fill-ink-11" />,
  mine: <circle cx="6" cy="6" r="4.75" className="fill-accent" />,
  bonus: <circle cx="6" cy="6" r="4" className="fill-transparent stroke-accent" strokeWidth="1.75" />,
} satisfies Record<FieldMark, unknown>

interface FieldLegendProps {
  entries: readonly { mark: FieldMark; label: string }[]
  first: number
  last: number
}

/** Explains the points and the range of numbers shown. */
export function FieldLegend({ entries, first, last }: FieldLegendProps) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-14">
      <span aria-hidden translate="no" className="figures text-ink-9">
        {t('Nº {first} – {last}', { first, last })}
      </span>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {entries.map(({ mark, label }) => (
          <li key={mark} className="flex items-center gap-1.5 whitespace-nowrap">
            <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden>
              {marks[mark]}
            </svg>
            <span className="text-ink-10">{label}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
