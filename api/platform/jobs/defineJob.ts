import type { z } from 'zod'
import type { Services } from '../services.ts'
import type { JobName } from './JobQueue.ts'

/** Work that somebody asked for in a transaction of theirs. */
export interface Job<S extends z.ZodType = z.ZodType, Uses extends keyof Services = keyof Services> extends JobName<S> {
  /** Runs at least once, so a second run must find nothing left to do. Opens its own transactions. */
  run(payload: z.output<S>, services: Pick<Services, Uses>): Promise<void>
}

/** Work that the clock asks for: finds what is due by its state. It is what makes a lost job harmless. */
export interface Sweep<Uses extends keyof Services = keyof Services> {
  name: string
  everySeconds: number
  /** `isFirst`: this worker has only begun, and what others of its sweeps would have done by now may still be under way. */
  run(services: Pick<Services, Uses>, isFirst?: boolean): Promise<void>
}

/** Thrown by a sweep that waits for something outside: it runs again after so many seconds. */
export class TryLater extends Error {
  override name = 'TryLater'
  readonly seconds: number

  constructor(message: string, { seconds }: { seconds: number }) {
    super(message)
    this.seconds = seconds
  }
}

export const defineJob = <S extends z.ZodType, Uses extends keyof Services>(job: Job<S, Uses>): Job<S, Uses> => job
