import type { ChaosReport } from './runChaos.ts'

export function printReport({ plan, faults, untried, book, figures, losses, folder }: ChaosReport): void {
  const line = (name: string, value: number | string) => console.log(`  ${name.padEnd(44)}${value}`)
  console.log(`\nSeed ${plan.seed}, ${plan.seconds} seconds`)
  for (const [name, value] of Object.entries(figures)) line(name, value)
  console.log('Answers to people, by status')
  for (const [status, count] of inOrder(book.answers)) line(status, count)
  for (const [code, count] of countRefusals(book)) line(`refused: ${code}`, count)
  console.log('Transactions that reorganisations took out of their blocks')
  for (const [fate, count] of inOrder(book.reorganised)) line(fate, count)
  console.log('Faults')
  for (const [kind, count] of inOrder(faults)) line(kind, count)
  for (const kind of untried) line(kind, 'not tried: nothing may be mounted here')
  console.log(losses.length === 0 ? '\nNothing was lost, and nothing was paid twice.' : `\n${losses.length} differences:`)
  for (const loss of losses) console.log(`  ${loss}`)
  if (folder)
    console.log(`The logs are in ${folder}. To see it again: npm run chaos -- --seconds ${plan.seconds} --seed ${plan.seed}`)
}

const inOrder = <Name extends string>(counts: ReadonlyMap<Name, number>): [Name, number][] =>
  [...counts].toSorted(([a], [b]) => a.localeCompare(b))

function countRefusals({ purchases, withdrawals }: ChaosReport['book']): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { refused } of [...purchases, ...withdrawals]) if (refused) counts.set(refused, (counts.get(refused) ?? 0) + 1)
  return counts
}
