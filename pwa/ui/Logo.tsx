import { lit, points } from './mark.ts'

/** Nine points of the field; the lit ones form an X. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="shrink-0">
      {points.map(({ x, y }, at) => (
        <circle
          key={`${x},${y}`}
          cx={x}
          cy={y}
          r={lit.includes(at) ? 4 : 2.25}
          className={lit.includes(at) ? 'fill-accent' : 'fill-ink-8'}
        />
      ))}
    </svg>
  )
}
