import { SECOND } from '#shared/dates.ts'
import { type FailoverReport, medianOf } from './runFailover.ts'

export function printReport({ results, history, figures, failures, folder }: FailoverReport): void {
  const line = (name: string, value: number | string) => console.log(`  ${name.padEnd(44)}${value}`)
  const seconds = (milliseconds: number) => `${(milliseconds / SECOND).toFixed(1)} s`
  console.log('\nTime until writes work again')
  for (const kind of new Set(results.map((result) => result.kind))) {
    const times = results.filter((result) => result.kind === kind).map(({ recovery }) => recovery)
    line(`${kind} (${times.length})`, `median ${seconds(medianOf(times))}, worst ${seconds(Math.max(...times))}`)
  }
  const all = results.map(({ recovery }) => recovery)
  line('all', `median ${seconds(medianOf(all))}, worst ${seconds(Math.max(...all))}`)
  console.log('Users')
  for (const [name, value] of Object.entries(figures)) line(name, value)
  for (const [status, count] of [...history.answers].toSorted(([a], [b]) => a.localeCompare(b))) line(`answers ${status}`, count)
  line('longest wait for an answer', seconds(history.longestWait))
  const acknowledged = [...history.purchases.map(({ purchaseIds }) => purchaseIds), ...history.withdrawals.map(({ ids }) => ids)]
  line(
    'acknowledged purchases and withdrawals',
    acknowledged.reduce((sum, ids) => sum + ids.size, 0),
  )
  console.log(failures.length === 0 ? '\nNothing that was acknowledged is lost.' : `\n${failures.length} failures:`)
  for (const failure of failures) console.log(`  ${failure}`)
  if (folder) console.log(`The logs are in ${folder}.`)
}
