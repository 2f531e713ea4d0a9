import type { ChaosReport } from './runChaos.ts'

export function printReport({ plan, faults, untried, history, figures, losses, folder }: ChaosReport): void {
  const line = (name: string, value: number | string) => console.log(`  ${name.padEnd(44)}${value}`)
  console.log(`\nSeed ${plan.seed}, ${plan.seconds} seconds`)
  for (const [name, value] of Object.entries(figures)) line(name, value)
  console.log('Answers by status')
  for (const [status, count] of sortByName(history.answers)) line(status, count)
  for (const [code, count] of countRefusals(history)) line(`refused: ${code}`, count)
  console.log('Transactions removed from their blocks by reorganizations')
  for (const [fate, count] of sortByName(history.reorganized)) line(fate, count)
  console.log('Faults')
  for (const [kind, count] of sortByName(faults)) line(kind, count)
  for (const kind of untried) line(kind, 'not tried: this process may not mount')
  console.log(losses.length === 0 ? '\nNo payment was lost or made twice.' : `\n${losses.length} differences:`)
  for (const loss of losses) console.log(`  ${loss}`)
  if (folder)
    console.log(`The logs are in ${folder}. To repeat the run: npm run chaos -- --seconds ${plan.seconds} --seed ${plan.seed}`)
}

const sortByName = <Name extends string>(counts: ReadonlyMap<Name, number>): [Name, number][] =>
  [...counts].toSorted(([a], [b]) => a.localeCompare(b))

function countRefusals({ purchases, withdrawals }: ChaosReport['history']): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { refused } of [...purchases, ...withdrawals]) if (refused) counts.set(refused, (counts.get(refused) ?? 0) + 1)
  return counts
}
