interface BarArea {
  /** The value that the whole height stands for. Above 0. */
  whole: bigint
  width: number
  height: number
  /** From where the bars grow, from above. */
  baseline: number
  /** Up or down. */
  direction: 1 | -1
}

/** Low enough to be nothing, high enough to be seen: what is not zero is never drawn as if it were. */
const LEAST = 2

const SCALE = 10_000n

/** The bars of all days as one path: 365 of them are one element and not 365. */
export function drawBars(values: readonly bigint[], { whole, width, height, baseline, direction }: BarArea): string {
  const step = width / Math.max(1, values.length)
  const gap = step > 8 ? step * 0.28 : step * 0.1
  return values
    .flatMap((value, day) => {
      if (value <= 0n) return []
      const size = Math.max(LEAST, (Number((value * SCALE) / whole) / Number(SCALE)) * height)
      return `M${round(day * step + gap / 2)} ${round(baseline)}v${round(direction * size)}h${round(step - gap)}V${round(baseline)}Z`
    })
    .join('')
}

const round = (length: number): number => Math.round(length * 100) / 100
