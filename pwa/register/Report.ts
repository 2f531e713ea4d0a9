import { FormatError } from '#shared/register/FormatError.ts'

/** What is checked of the log and the chains (format.md §12). */
export const publicTicks = [
  'signature',
  'entries',
  'growth',
  'anchors',
  'fresh',
  'days',
  'notice',
  'E1',
  'E2',
  'E3',
  'E4',
  'E5',
  'E6',
  'E7',
  'E8',
  'release',
] as const
/** What is checked for one account. */
export const accountTicks = ['nodes', 'rewards', 'balance', 'deposits', 'payouts', 'receipts'] as const
export type TickName = (typeof publicTicks)[number] | (typeof accountTicks)[number]

/** From good to bad. */
const outcomes = ['ok', 'nothing', 'unknown', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

export interface Finding {
  outcome: Outcome
  /** In English, as the evidence is. */
  detail: string
  evidence?: string
  /** Further failures of the same tick. */
  more: number
}

/** No answer, or none that can be used: the tick's outcome is unknown. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/** The site answers that it has no register. */
export class NotPublished extends Unavailable {
  override name = 'NotPublished'
}

/** Ends the check of the log: what follows cannot be judged. The tick has failed already. */
export class Stop extends Error {
  override name = 'Stop'
}

type Lazy = string | (() => string)

/** The findings of one verification. */
export class Report {
  readonly ticks = new Map<TickName, Finding>()
  /** An anchor covers entries beyond the checkpoint, which may be older than the anchor. */
  isBehind = false
  /** False if the site answers that it has no register. */
  isPublished = true

  /** Sets an outcome unless there is a worse one. */
  set(tick: TickName, outcome: Outcome, detail: string, evidence?: string): void {
    const before = this.ticks.get(tick)
    if (before && outcomes.indexOf(before.outcome) >= outcomes.indexOf(outcome)) {
      if (outcome === 'failed') before.more++
      return
    }
    this.ticks.set(tick, { outcome, detail, ...(evidence !== undefined && { evidence }), more: 0 })
  }

  ok(tick: TickName, detail: string): void {
    this.set(tick, 'ok', detail)
  }

  fail(tick: TickName, detail: string, evidence?: string): void {
    this.set(tick, 'failed', detail, evidence)
  }

  /** Fails the tick unless the condition holds. @returns the condition. */
  check(tick: TickName, condition: unknown, detail: Lazy, evidence?: string): boolean {
    if (!condition) this.fail(tick, typeof detail === 'string' ? detail : detail(), evidence)
    return Boolean(condition)
  }

  /** Runs a part of a tick: refused bytes fail it, a missing answer makes it unknown. */
  async part<Result>(tick: TickName, run: () => Promise<Result> | Result): Promise<Result | undefined> {
    try {
      return await run()
    } catch (error) {
      if (error instanceof FormatError) this.fail(tick, error.message)
      else if (error instanceof Unavailable) this.set(tick, 'unknown', error.message)
      else throw error
      return undefined
    }
  }

  named(outcome: Outcome): TickName[] {
    return [...this.ticks].filter(([, finding]) => finding.outcome === outcome).map(([name]) => name)
  }
}
