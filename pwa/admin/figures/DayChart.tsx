import clsx from 'clsx'
import { type PointerEvent, useId, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatDate } from '#pwa/lib/formatDate.ts'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { drawBars } from './drawBars.ts'
import { niceTop } from './niceTop.ts'

interface Series {
  name: string
  /** One value per day. */
  values: readonly bigint[]
  format: (value: bigint) => string
}

interface DayChartProps {
  title: string
  /** Of the axis. */
  unit: string
  formatTick: (value: bigint) => string
  /** YYYY-MM-DD, oldest first. */
  days: readonly string[]
  up: Series
  /** Outflows, drawn downward on the same scale. */
  down?: Series
}

const WIDTH = 600
const HEIGHT = 160
/** Dates below the axis. */
const MAX_DATES = 4

const dateOf = (day: string | undefined): string => (day ? formatDate(new Date(`${day}T00:00:00Z`)) : '')

/** Daily bars with axes, the sum beside the title and the value of the hovered or tapped day, and a table of the same figures. */
export function DayChart({ title, unit, formatTick, days, up, down }: DayChartProps) {
  const id = useId()
  const [at, setAt] = useState<number | null>(null)
  const [isTableOpen, setTableOpen] = useState(false)
  const series = down ? [up, down] : [up]
  const shown = at !== null && at < days.length ? at : null

  const top = niceTop(max(up.values))
  const bottom = down ? niceTop(max(down.values)) : 0n
  const whole = top + bottom || 1n
  const placeOf = (value: bigint): number => (top + bottom === 0n ? HEIGHT : Number(((top - value) * BigInt(HEIGHT)) / whole))
  const baseline = placeOf(0n)
  const ticks = ticksOf(top, bottom)

  function handlePointer({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) {
    const { left, width } = currentTarget.getBoundingClientRect()
    setAt(Math.min(days.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * days.length))))
  }
  const bar = WIDTH / Math.max(1, days.length)
  return (
    <figure>
      <figcaption className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="text-14 font-strong">{title}</span>
        <span className="figures text-12 text-ink-9">
          {shown === null ? t('Last {count} days', { count: days.length }) : dateOf(days[shown])}
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
      <div aria-hidden className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <span className="mb-2.5 text-right text-12 text-ink-9">{unit}</span>
        <span />
        <div className="figures relative h-40 text-right text-12 text-ink-9">
          {/* The widest label gives the column its width. */}
          {ticks.map((value) => (
            <span key={String(value)} className="block h-0 overflow-hidden whitespace-nowrap">
              {formatTick(value < 0n ? -value : value)}
            </span>
          ))}
          {ticks.map((value) => (
            <span
              key={String(value)}
              // Set by script, because the Content-Security-Policy refuses style attributes in markup.
              style={{ top: `${(placeOf(value) / HEIGHT) * 100}%` }}
              className="absolute right-0 -translate-y-1/2 whitespace-nowrap"
            >
              {formatTick(value < 0n ? -value : value)}
            </span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="block h-40 w-full touch-pan-y overflow-visible"
          onPointerMove={handlePointer}
          onPointerDown={handlePointer}
          // A tapped day stays, because a finger leaves as it lifts.
          onPointerLeave={({ pointerType }) => pointerType !== 'touch' && setAt(null)}
        >
          {ticks.map((value) => (
            <path
              key={String(value)}
              d={`M0 ${placeOf(value)}H${WIDTH}`}
              vectorEffect="non-scaling-stroke"
              className={value === 0n ? 'stroke-ink-8' : 'stroke-ink-5'}
            />
          ))}
          {shown !== null && <rect x={shown * bar} width={bar} y={0} height={HEIGHT} className="fill-ink-4" />}
          <path
            d={drawBars(up.values, { whole, width: WIDTH, height: HEIGHT, baseline, direction: -1 })}
            className="fill-accent"
          />
          {down && (
            <path
              d={drawBars(down.values, { whole, width: WIDTH, height: HEIGHT, baseline, direction: 1 })}
              className="fill-ink-8"
            />
          )}
        </svg>
        <span />
        <div className="figures mt-1.5 flex justify-between text-12 text-ink-9">
          {datesOf(days).map((day, index) => (
            <span key={day} className={clsx(index > 0 && index < MAX_DATES - 1 && 'max-sm:hidden')}>
              {dateOf(day)}
            </span>
          ))}
        </div>
      </div>
      <p className="mt-2">
        <TextButton aria-expanded={isTableOpen} aria-controls={id} onClick={() => setTableOpen(!isTableOpen)}>
          {isTableOpen ? t('Hide the table') : t('Show as a table')}
        </TextButton>
      </p>
      {/* Closed, it is for screen readers, which do not see the drawing. */}
      <div id={id} className={isTableOpen ? 'mt-2 max-h-80 overflow-auto rounded-card border border-ink-5' : 'sr-only'}>
        <DayTable title={title} days={days} series={series} />
      </div>
    </figure>
  )
}

/** The figures of the chart, for reading and for screen readers. */
function DayTable({ title, days, series }: Pick<DayChartProps, 'title' | 'days'> & { series: readonly Series[] }) {
  return (
    <table className="w-full text-14">
      <caption className="sr-only">{title}</caption>
      <thead>
        <tr className="bg-ink-2 text-12 text-ink-10">
          <th scope="col" className="px-3 py-2 text-left font-normal">
            {t('Day (UTC)')}
          </th>
          {series.map(({ name }) => (
            <th key={name} scope="col" className="px-3 py-2 text-right font-normal">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="figures divide-y divide-ink-4">
        {days.map((day, index) => (
          <tr key={day}>
            <th scope="row" className="px-3 py-1.5 text-left font-normal">
              {day}
            </th>
            {series.map(({ name, values, format }) => (
              <td key={name} className="px-3 py-1.5 text-right">
                {format(values[index] ?? 0n)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The values with a line: the ends, zero, and the middle of an axis that only goes up. */
function ticksOf(top: bigint, bottom: bigint): bigint[] {
  const ticks = [0n]
  if (top > 0n) ticks.unshift(top)
  if (bottom > 0n) ticks.push(-bottom)
  else if (top > 0n && top % 2n === 0n) ticks.splice(1, 0, top / 2n)
  return ticks
}

/** The first, the last and days between them at even distances. */
function datesOf(days: readonly string[]): string[] {
  const count = Math.min(MAX_DATES, days.length)
  return Array.from({ length: count }, (_, index) => days[Math.round((index * (days.length - 1)) / Math.max(1, count - 1))]!)
}

const max = (values: readonly bigint[]): bigint => values.reduce((most, value) => (value > most ? value : most), 0n)
const sum = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n)
