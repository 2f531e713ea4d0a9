/** Formats whole numbers in their order, consecutive ones as a range: `1-4,7,6`. */
export function formatRanges(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range?.last === number - 1) range.last = number
    else ranges.push({ first: number, last: number })
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join()
}
