import { SECOND } from '#shared/dates.ts'
import type { Report } from './openRun.ts'
import { type FaultResult, medianOf } from './runFailover.ts'

/** @param success what it means that there are no failures. */
export function printReport({ history, figures, failures, folder }: Report, success: string): void {
  console.log('Users')
  for (const [name, value] of Object.entries(figures)) line(name, value)
  for (const [status, count] of [...history.answers].toSorted(([a], [b]) => a.localeCompare(b))) line(`answers ${status}`, count)
  line('longest wait for an answer', seconds(history.longestWait))
  const ids = [...history.purchases.map(({ purchaseIds }) => purchaseIds), ...history.withdrawals.map((record) => record.ids)]
  line(
    'acknowledged purchases and withdrawals',
    ids.reduce((sum, { size }) => sum + size, 0),
  )
  console.log(failures.length === 0 ? `\n${success}` : `\n${failures.length} failures:`)
  for (const failure of failures) console.log(`  ${failure}`)
  if (folder) console.log(`The logs are in ${folder}.`)
}

export function printRecovery(results: readonly FaultResult[]): void {
  console.log('\nTime until writes work again')
  for (const kind of new Set(results.map((result) => result.kind)))
    printTimes(
      kind,
      results.filter((result) => result.kind === kind),
    )
  printTimes('all', results)
}

function printTimes(name: string, results: readonly FaultResult[]): void {
  const times = results.map(({ recovery }) => recovery)
  line(`${name} (${times.length})`, `median ${seconds(medianOf(times))}, worst ${seconds(Math.max(...times))}`)
}

const line = (name: string, value: number | string): void => console.log(`  ${name.padEnd(44)}${value}`)
const seconds = (milliseconds: number): string => `${(milliseconds / SECOND).toFixed(1)} s`
