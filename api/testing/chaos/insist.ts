import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { ApiError } from '#shared/contract/client.ts'

const PAUSE = 400

/** Somebody still had no answer, long after everything was well again. */
export class GaveUp extends Error {
  override name = 'GaveUp'
}

export interface InsistOptions {
  /** When patience ends. */
  until: number
  countAnswer?: (status: string) => void
}

/** Repeats what gets no answer, or one that says to come again, as the client does. @throws ApiError where it is refused. */
export async function insist<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { until, countAnswer = () => {} }: InsistOptions,
): Promise<Answer> {
  for (;;) {
    try {
      const answer = await ask(AbortSignal.timeout(10 * SECOND))
      countAnswer('2xx')
      return answer
    } catch (error) {
      countAnswer(error instanceof ApiError ? String(error.status) : 'none')
      if (!mayComeAgain(error)) throw error
      if (Date.now() > until) throw new GaveUp('Nobody answers any more.', { cause: error })
      await delay(PAUSE)
    }
  }
}

const mayComeAgain = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500 || error.status === 429 || error.code === 'request_in_progress'
