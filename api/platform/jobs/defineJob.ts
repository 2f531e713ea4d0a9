import type { z } from 'zod'
import type { Services } from '../services.ts'
import type { JobName } from './JobQueue.ts'

/** Background work that a transaction enqueues. */
export interface Job<S extends z.ZodType = z.ZodType, Uses extends keyof Services = keyof Services> extends JobName<S> {
  /** Runs at least once, so it must be idempotent. Opens its own transactions. */
  run(payload: z.output<S>, services: Pick<Services, Uses>): Promise<void>
}

/** Periodic work that finds due rows by their state, which makes lost jobs harmless. */
export interface Sweep<Uses extends keyof Services = keyof Services> {
  name: string
  everySeconds: number
  /** `isFirst` is true on the worker's first run, when work that other sweeps normally complete first may still be pending. */
  run(services: Pick<Services, Uses>, isFirst?: boolean): Promise<void>
}

/** Thrown by a sweep that waits for an external condition. It runs again after `seconds`. */
export class TryLater extends Error {
  override name = 'TryLater'
  readonly seconds: number

  constructor(message: string, { seconds }: { seconds: number }) {
    super(message)
    this.seconds = seconds
  }
}

export const defineJob = <S extends z.ZodType, Uses extends keyof Services>(job: Job<S, Uses>): Job<S, Uses> => job
