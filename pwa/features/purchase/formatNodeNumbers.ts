import { formatCount } from '#pwa/lib/formatCount.ts'

/** "1,042–1,051, 1,060": consecutive numbers as a range. */
export function formatNodeNumbers(numbers: readonly number[]): string {
  const stretches: [first: number, last: number][] = []
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = stretches.at(-1)
    if (last && last[1] === number - 1) last[1] = number
    else stretches.push([number, number])
  }
  return stretches
    .map(([first, last]) => (first === last ? formatCount(first) : `${formatCount(first)}–${formatCount(last)}`))
    .join(', ')
}
