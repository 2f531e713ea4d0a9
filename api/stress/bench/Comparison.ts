/** One line of the table: a part of the product compared with a minimal implementation. */
export interface Comparison {
  subject: string
  measured: string
  comparedWith: string
  ratio: number
  goal: Goal
}

interface Goal {
  /** `atLeast` for throughput, `atMost` for time. */
  bound: 'atLeast' | 'atMost'
  value: number
}

/** A condition that holds or not, such as equal totals. */
export interface Check {
  subject: string
  measured: string
  comparedWith: string
  holds: boolean
}

export function isMet(result: Comparison | Check): boolean {
  if ('holds' in result) return result.holds
  const { ratio, goal } = result
  return goal.bound === 'atLeast' ? ratio >= goal.value : ratio <= goal.value
}

export const best = (figures: readonly number[]): number => Math.max(...figures)

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Formats 12345.6 as "12,346/s". */
export const perSecond = (figure: number): string => `${Math.round(figure).toLocaleString('en-US')}/s`
