import type { z } from 'zod'
import type { Services } from '../services.ts'
import type { JobName } from './JobQueue.ts'

/** Work that somebody asked for in a transaction of theirs. */
export interface Job<S extends z.ZodType = z.ZodType> extends JobName<S> {
  /** Runs at least once, so a second run must find nothing left to do. Opens its own transactions. */
  run(payload: z.output<S>, services: Services): Promise<void>
}

/** Work that the clock asks for: finds what is due by its state. It is what makes a lost job harmless. */
export interface Sweep {
  name: string
  everySeconds: number
  /** `isFirst`: this worker has only begun, and what others of its sweeps would have done by now may still be under way. */
  run(services: Services, isFirst?: boolean): Promise<void>
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

export const defineJob = <S extends z.ZodType>(job: Job<S>): Job<S> => job
