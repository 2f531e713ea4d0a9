import clsx from 'clsx'
import { type PointerEvent, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatDate } from '#pwa/lib/formatDate.ts'
import { drawBars } from './drawBars.ts'

interface Series {
  name: string
  /** One value per day. */
  values: readonly bigint[]
  format: (value: bigint) => string
}

interface DayChartProps {
  title: string
  /** YYYY-MM-DD, oldest first. */
  days: readonly string[]
  up: Series
  /** Outflows, drawn downward on the same scale. */
  down?: Series
}

const WIDTH = 600
const HEIGHT = 120

/** Daily bars, with the sum beside the title and the hovered day's value. The table behind it has the same data for screen readers. */
export function DayChart({ title, days, up, down }: DayChartProps) {
  const [at, setAt] = useState<number | null>(null)
  const series = down ? [up, down] : [up]
  const shown = at !== null && at < days.length ? at : null

  const top = max(up.values)
  const bottom = down ? max(down.values) : 0n
  const whole = top + bottom || 1n
  const baseline = top + bottom === 0n ? HEIGHT : Number((top * BigInt(HEIGHT)) / whole)

  function handlePointer({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) {
    const { left, width } = currentTarget.getBoundingClientRect()
    setAt(Math.min(days.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * days.length))))
  }
  const bar = WIDTH / Math.max(1, days.length)
  return (
    <figure>
      <figcaption className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="text-14 font-strong">{title}</span>
        <span className="figures text-12 text-ink-9">
          {shown === null ? t('Last {count} days', { count: days.length }) : formatDate(new Date(`${days[shown]}T00:00:00Z`))}
        </span>
        <span className="flex w-full flex-wrap gap-x-6">
          {series.map(({ name, values, format }, index) => (
            <span key={name} className="figures inline-flex items-center gap-1.5 text-14 text-ink-10">
              <span aria-hidden className={clsx('size-2.5 rounded-[3px]', index === 0 ? 'bg-accent' : 'bg-ink-8')} />
              {down && <span>{name}</span>}
              <span translate="no" className="text-ink-12">
                {format(shown === null ? sum(values) : (values[shown] ?? 0n))}
              </span>
            </span>
          ))}
        </span>
      </figcaption>
      <svg
        aria-hidden
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-24 w-full touch-pan-y overflow-visible"
        onPointerMove={handlePointer}
        onPointerDown={handlePointer}
        onPointerLeave={() => setAt(null)}
      >
        {shown !== null && <rect x={shown * bar} width={bar} y={0} height={HEIGHT} className="fill-ink-4" />}
        <path d={drawBars(up.values, { whole, width: WIDTH, height: HEIGHT, baseline, direction: -1 })} className="fill-accent" />
        {down && (
          <path
            d={drawBars(down.values, { whole, width: WIDTH, height: HEIGHT, baseline, direction: 1 })}
            className="fill-ink-8"
          />
        )}
        <path d={`M0 ${baseline}H${WIDTH}`} vectorEffect="non-scaling-stroke" className="stroke-ink-7" />
      </svg>
      <div aria-hidden className="figures mt-1.5 flex justify-between text-12 text-ink-9">
        <span>{days[0] && formatDate(new Date(`${days[0]}T00:00:00Z`))}</span>
        <span>{days.length > 1 && formatDate(new Date(`${days.at(-1)}T00:00:00Z`))}</span>
      </div>
      <div className="sr-only">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{t('Day (UTC)')}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, index) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {series.map(({ name, values, format }) => (
                  <td key={name}>{format(values[index] ?? 0n)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

const max = (values: readonly bigint[]): bigint => values.reduce((most, value) => (value > most ? value : most), 0n)
const sum = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n)
