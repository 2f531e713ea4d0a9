import type { Check, Comparison } from '../bench/Comparison.ts'
import type { LoadReport, Attempt } from './LoadPlan.ts'
import type { ServedOrder } from './readOrder.ts'
import type { Resources } from './watchResources.ts'

interface LoadFindings {
  report: LoadReport
  bare: LoadReport
  nodes: number
  visitors: number
  kills: number
  reserved: { row: number; held: number }
  paid: number
  given: { nodes: number; owners: number }
  auditClean: boolean
  crashes: number
  resources: Omit<Resources, 'stop'>
  /** By web process. */
  order: ServedOrder[]
  /** KiB of each stream after the first fifth of them, before the sale. */
  streamMemory: number
  maxConnections: number
  descriptors: { quiet: number; left: number }
}

/** Limits the memory of a process, in MiB. */
const MAX_MEMORY = 512
/** In KiB. */
const MAX_STREAM_MEMORY = 40
/** In milliseconds. */
const MAX_WAIT = 1_000
/** In milliseconds. */
const MAX_P99 = 500
/** In milliseconds. */
const MAX_MEDIAN = 200
/** Processor seconds. */
const MAX_PROCESSOR = { web: 20, database: 6 }
/** A tolerance, because restarted processes have other files open. */
export const SPARE_DESCRIPTORS = 60

export function judge(findings: LoadFindings): (Check | Comparison)[] {
  const { report, bare, nodes, visitors, kills, reserved, paid, given, resources, order, descriptors, streamMemory } = findings
  const { attempts, streams, figures } = report
  const granted = attempts.filter(({ status }) => status === 201)
  const refused = attempts.filter(({ status, code }) => status === 409 && code === 'insufficient_supply')
  const others = attempts.filter((attempt) => !granted.includes(attempt) && !refused.includes(attempt))
  const unexpected = countAll(others.map(({ status, code }) => `${status} ${code ?? ''}`.trim()))
  const repeats = attempts.flatMap((attempt) => attempt.repeats)
  const bad = repeats.filter((repeat) => repeat !== '503' && repeat !== 'no answer' && repeat !== '409')
  const figuresBad = Object.keys(figures.statuses).filter((status) => status.startsWith('5') && status !== '503')
  const waits = attempts.map(waitOf)
  const bareWaits = bare.attempts.map(waitOf)
  const lastGranted = Math.max(...granted.map(({ sentAt }) => sentAt))
  const firstRefused = Math.min(...refused.map(({ answeredAt }) => answeredAt))
  const withKills = (subject: string) => `${subject}, ${kills} processes killed`

  return [
    {
      subject: `${nodes} nodes, ${attempts.length} buyers`,
      measured: `${granted.length} granted, ${refused.length} refused${unexpected}`,
      comparedWith: `supply row ${reserved.row}, held by purchases ${reserved.held}`,
      holds: [granted.length, reserved.row, reserved.held].every((total) => total === nodes) && others.length === 0,
    },
    {
      subject: 'first come, first served',
      measured: `last granted request: ${milliseconds(lastGranted)}`,
      comparedWith: `first "sold out" answer: ${milliseconds(firstRefused)}`,
      holds: lastGranted <= firstRefused,
    },
    {
      subject: 'order of arrival at each web process, from its log',
      measured: `${sum(order.map(({ overtaken }) => overtaken))} of ${sum(order.map(({ requests }) => requests))} decided after a later one`,
      comparedWith: `${sum(order.map(({ batches }) => batches))} batches of ${order.length} processes`,
      holds: order.every(({ overtaken }) => overtaken === 0) && sum(order.map(({ requests }) => requests)) >= granted.length,
    },
    {
      subject: 'retries after a temporary error or a lost connection',
      measured: `${repeats.length}${countAll(repeats)}`,
      comparedWith: 'no 5xx except 503 with Retry-After',
      holds: bad.length === 0 && figuresBad.length === 0,
    },
    {
      subject: 'owned nodes',
      measured: `${given.nodes} nodes of ${given.owners} owners`,
      comparedWith: `${paid} paid`,
      holds: given.nodes === paid && given.owners === paid && paid === nodes,
    },
    {
      subject: 'audit',
      measured: findings.auditClean ? 'no differences' : 'differences',
      comparedWith: `${findings.crashes} crashed processes`,
      holds: findings.auditClean && findings.crashes === 0,
    },
    {
      subject: 'event streams',
      measured: `${streams.openAtEnd} open at the end, ${streams.lost} reconnected${countAll(Object.entries(streams.refused).map(([status, count]) => `${count}× ${status}`))}`,
      comparedWith: `${visitors} visitors`,
      holds: streams.openAtEnd === visitors,
    },
    {
      subject: 'connections to the database',
      measured: `${resources.connections} at most`,
      comparedWith: `${findings.maxConnections} by configuration`,
      holds: resources.connections <= findings.maxConnections,
    },
    {
      subject: 'open files of a web process after all clients have disconnected',
      measured: `${descriptors.left}, ${resources.descriptors} at most`,
      comparedWith: `${descriptors.quiet} before`,
      holds: descriptors.left <= descriptors.quiet + SPARE_DESCRIPTORS,
    },
    {
      subject: 'memory of an event stream',
      measured: `${streamMemory.toFixed(1)} KiB`,
      comparedWith: `${MAX_STREAM_MEMORY} KiB`,
      ratio: streamMemory / MAX_STREAM_MEMORY,
      goal: { bound: 'atMost', value: 1 },
    },
    {
      subject: 'memory of a process',
      measured: `${resources.memory} MiB at most`,
      comparedWith: `${MAX_MEMORY} MiB`,
      holds: resources.memory <= MAX_MEMORY,
    },
    {
      subject: 'processor during the sale',
      measured: Object.entries(resources.processor)
        .map(([part, seconds]) => `${part} ${seconds.toFixed(0)} s`)
        .join(', '),
      comparedWith: `${resources.available.toFixed(0)} s on all cores, ${resources.usedByOthers.toFixed(0)} s by other programs`,
      holds: true,
    },
    ...(['web', 'database'] as const).map((part): Comparison => {
      const used = resources.processor[part] ?? 0
      return {
        subject: `processor of the ${part === 'web' ? 'web processes' : 'database'}`,
        measured: `${used.toFixed(1)} s`,
        comparedWith: `${MAX_PROCESSOR[part]} s`,
        ratio: used / MAX_PROCESSOR[part],
        goal: { bound: 'atMost', value: 1 },
      }
    }),
    {
      subject: withKills('longest wait for a reservation'),
      measured: milliseconds(Math.max(...waits)),
      comparedWith: `${milliseconds(MAX_WAIT)} (constants: ${milliseconds(Math.max(...bareWaits))})`,
      ratio: Math.max(...waits) / MAX_WAIT,
      goal: { bound: 'atMost', value: 1 },
    },
    {
      subject: withKills('p99 of the waits'),
      measured: milliseconds(percentile(waits, 99)),
      comparedWith: `${milliseconds(MAX_P99)} (constants: ${milliseconds(percentile(bareWaits, 99))})`,
      ratio: percentile(waits, 99) / MAX_P99,
      goal: { bound: 'atMost', value: 1 },
    },
    {
      subject: 'median of the waits',
      measured: milliseconds(percentile(waits, 50)),
      comparedWith: `${milliseconds(MAX_MEDIAN)} (constants: ${milliseconds(percentile(bareWaits, 50))})`,
      ratio: percentile(waits, 50) / MAX_MEDIAN,
      goal: { bound: 'atMost', value: 1 },
    },
    {
      subject: 'p99 of fetching the figures',
      measured: `${milliseconds(percentile(figures.milliseconds, 99))}, ${figures.asked} times`,
      comparedWith: `constants: ${milliseconds(percentile(bare.figures.milliseconds, 99))}, ${bare.figures.asked} times`,
      ratio: percentile(figures.milliseconds, 99) / percentile(bare.figures.milliseconds, 99),
      goal: { bound: 'atMost', value: 10 },
    },
  ]
}

const waitOf = ({ sentAt, answeredAt }: Attempt): number => answeredAt - sentAt
const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0)
const milliseconds = (figure: number): string => `${Math.round(figure).toLocaleString('en-US')} ms`

function percentile(figures: readonly number[], percent: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

/** Formats counts such as ": 3× 503, 1× no answer". */
function countAll(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts.size === 0 ? '' : `: ${[...counts].map(([word, count]) => `${count}× ${word}`).join(', ')}`
}
