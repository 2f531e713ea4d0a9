/** "1–3, 7": consecutive numbers as a range, smallest first. */
export function formatNodeNumbers(numbers: readonly number[], format: (number: number) => string = String): string {
  const runs: [first: number, last: number][] = []
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run && run[1] === number - 1) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([first, last]) => (first === last ? format(first) : `${format(first)}–${format(last)}`)).join(', ')
}
