import type { Check, Comparison } from '../bench/Comparison.ts'
import type { LoadReport, Press } from './LoadPlan.ts'
import type { Resources } from './watchResources.ts'

interface Facts {
  report: LoadReport
  bare: LoadReport
  nodes: number
  visitors: number
  kills: number
  reserved: { row: number; held: number }
  paid: number
  given: { nodes: number; owners: number }
  auditClean: boolean
  deaths: number
  resources: Omit<Resources, 'stop'>
  mostConnections: number
  descriptors: { quiet: number; left: number }
}

/** Most memory of a process, in MiB. */
const MOST_MEMORY = 512
const LONGEST = 2_000
const P99 = 250
/** A process that was killed in the meantime has other files open than it had. */
export const SPARE_DESCRIPTORS = 60

export function judge(facts: Facts): (Check | Comparison)[] {
  const { report, bare, nodes, visitors, kills, reserved, paid, given, resources, descriptors } = facts
  const { presses, streams, figures } = report
  const granted = presses.filter(({ status }) => status === 201)
  const refused = presses.filter(({ status, code }) => status === 409 && code === 'insufficient_supply')
  const others = presses.filter((press) => !granted.includes(press) && !refused.includes(press))
  const strange = countAll(others.map(({ status, code }) => `${status} ${code ?? ''}`.trim()))
  const repeats = presses.flatMap((press) => press.repeats)
  const bad = repeats.filter((repeat) => repeat !== '503' && repeat !== 'no answer' && repeat !== '409')
  const figuresBad = Object.keys(figures.statuses).filter((status) => status.startsWith('5') && status !== '503')
  const waits = presses.map(waitOf)
  const bareWaits = bare.presses.map(waitOf)
  const lastGranted = Math.max(...granted.map(({ pressedAt }) => pressedAt))
  const firstRefused = Math.min(...refused.map(({ answeredAt }) => answeredAt))
  const spent = (part: string) => `${part}, ${kills} processes killed`

  return [
    {
      subject: `${nodes} nodes, ${presses.length} buyers`,
      measured: `${granted.length} granted, ${refused.length} refused${strange}`,
      comparedWith: `supply row ${reserved.row}, held by purchases ${reserved.held}`,
      holds: [granted.length, reserved.row, reserved.held].every((total) => total === nodes) && others.length === 0,
    },
    {
      subject: 'first reserved, first served',
      measured: `last press that was granted: ${milliseconds(lastGranted)}`,
      comparedWith: `first answer "sold out": ${milliseconds(firstRefused)}`,
      holds: lastGranted <= firstRefused,
    },
    {
      subject: 'who was told to come again, or was cut off, and pressed the same once more',
      measured: `${repeats.length}${countAll(repeats)}`,
      comparedWith: 'no 5xx but 503 with Retry-After',
      holds: bad.length === 0 && figuresBad.length === 0,
    },
    {
      subject: 'paid for, and owned',
      measured: `${given.nodes} nodes of ${given.owners} people`,
      comparedWith: `${paid} paid`,
      holds: given.nodes === paid && given.owners === paid && paid === nodes,
    },
    {
      subject: 'audit of the books',
      measured: facts.auditClean ? 'nothing differs' : 'differences',
      comparedWith: `${facts.deaths} processes ended by themselves`,
      holds: facts.auditClean && facts.deaths === 0,
    },
    {
      subject: 'event streams',
      measured: `${streams.openAtEnd} open at the end, ${streams.lost} came back${countAll(Object.entries(streams.refused).map(([status, count]) => `${count}× ${status}`))}`,
      comparedWith: `${visitors} visitors`,
      holds: streams.openAtEnd === visitors,
    },
    {
      subject: 'connections to the database',
      measured: `${resources.connections} at most`,
      comparedWith: `${facts.mostConnections} by configuration`,
      holds: resources.connections <= facts.mostConnections,
    },
    {
      subject: 'open files of a web process once all have gone',
      measured: `${descriptors.left}, ${resources.descriptors} at most`,
      comparedWith: `${descriptors.quiet} before`,
      holds: descriptors.left <= descriptors.quiet + SPARE_DESCRIPTORS,
    },
    {
      subject: 'memory of a process',
      measured: `${resources.memory} MiB at most`,
      comparedWith: `${MOST_MEMORY} MiB`,
      holds: resources.memory <= MOST_MEMORY,
    },
    {
      subject: 'processor during the sale',
      measured: Object.entries(resources.processor)
        .map(([part, seconds]) => `${part} ${seconds.toFixed(0)} s`)
        .join(', '),
      comparedWith: `${resources.offered.toFixed(0)} s on all cores, ${resources.taken.toFixed(0)} s by other programs`,
      holds: true,
    },
    {
      subject: spent('longest wait for a reservation'),
      measured: milliseconds(Math.max(...waits)),
      comparedWith: `${milliseconds(LONGEST)} (constants: ${milliseconds(Math.max(...bareWaits))})`,
      ratio: Math.max(...waits) / LONGEST,
      goal: { bound: 'atMost', value: 1 },
    },
    {
      subject: spent('p99 of the waits'),
      measured: milliseconds(percentile(waits, 99)),
      comparedWith: `${milliseconds(P99)} (constants: ${milliseconds(percentile(bareWaits, 99))})`,
      ratio: percentile(waits, 99) / P99,
      goal: { bound: 'atMost', value: 1 },
    },
    {
      subject: 'median of the waits',
      measured: milliseconds(percentile(waits, 50)),
      comparedWith: `constants: ${milliseconds(percentile(bareWaits, 50))}`,
      ratio: percentile(waits, 50) / percentile(bareWaits, 50),
      goal: { bound: 'atMost', value: 10 },
    },
    {
      subject: 'p99 of reading the figures again',
      measured: `${milliseconds(percentile(figures.milliseconds, 99))}, ${figures.asked} times`,
      comparedWith: `constants: ${milliseconds(percentile(bare.figures.milliseconds, 99))}, ${bare.figures.asked} times`,
      ratio: percentile(figures.milliseconds, 99) / percentile(bare.figures.milliseconds, 99),
      goal: { bound: 'atMost', value: 10 },
    },
  ]
}

const waitOf = ({ pressedAt, answeredAt }: Press): number => answeredAt - pressedAt
const milliseconds = (figure: number): string => `${Math.round(figure).toLocaleString('en-US')} ms`

function percentile(figures: readonly number[], percent: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

/** ": 3× 503, 1× no answer". */
function countAll(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts.size === 0 ? '' : `: ${[...counts].map(([word, count]) => `${count}× ${word}`).join(', ')}`
}
