import { type Check, type Comparison, isMet } from './Comparison.ts'

const headings = ['subject', 'measured', 'compared with', 'ratio', 'goal', 'met']

/** Prints all results as one table. */
export function printTable(results: readonly (Comparison | Check)[]): void {
  const rows = [headings, ...results.map(toRow)]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  console.log(`\n${lines.join('\n')}\n`)
}

function toRow(result: Comparison | Check): string[] {
  const { subject, measured, comparedWith } = result
  const [ratio, goal] =
    'holds' in result
      ? ['', 'equal']
      : [result.ratio.toFixed(2), `${result.goal.bound === 'atLeast' ? '>=' : '<='} ${result.goal.value}`]
  return [subject, measured, comparedWith, ratio, goal, isMet(result) ? 'yes' : 'NO']
}
