import type { Alarm } from './news.ts'
import type { Finding, Report, TickName } from './Report.ts'

/** The figures of the last books and of their day. Amounts are in the smallest unit. */
export interface BookFigures {
  day: string
  days: number
  supply: number
  sold: number
  active: number
  rate: string
  earned: string
  paidOut: string
  owed: string
  /** Null while no paying wallet is named. */
  reserve: string | null
  received: string
  /** What was not counted: in review, ignored, refunded and orphaned. */
  notCounted: string
  anchor: { chainId: number; address: string } | null
  isDemo: boolean
  genesis: string
}

/** What the account was shown after its last verification. Amounts are in the smallest unit. */
export interface OwnFigures {
  day: string
  nodes: number
  /** XCR of that day. */
  reward: string
  earned: string
  balance: string | null
  withdrawals: number
}

/** A finished verification, as the device keeps it. */
export interface StoredReport {
  /** ISO UTC. */
  at: string
  ticks: [TickName, Finding][]
  books: BookFigures | null
  own: OwnFigures | null
}

/** Evidence is kept of failures only; it may be large. */
export const ticksOf = (report: Report): StoredReport['ticks'] =>
  [...report.ticks].map(([tick, { evidence, ...finding }]) => [
    tick,
    { ...finding, ...(finding.outcome === 'failed' && evidence !== undefined && { evidence: evidence.slice(0, 4_000) }) },
  ])

export const failuresOf = (report: Report): Alarm['failures'] =>
  [...report.ticks].flatMap(([tick, { outcome, detail, evidence }]) =>
    outcome === 'failed' ? { tick, detail, ...(evidence !== undefined && { evidence: evidence.slice(0, 65_536) }) } : [],
  )
