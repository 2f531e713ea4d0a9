import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { ApiError, type Client, createClient } from '#shared/contract/client.ts'
import type { Run } from './Run.ts'

const PAUSE = 400

/** Somebody still had no answer, long after everything was well again. */
export class GaveUp extends Error {
  override name = 'GaveUp'
}

/** Repeats what gets no answer, or one that says to come again, as the client does. @throws ApiError where it is refused. */
export async function insist<Answer>(run: Run, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask(AbortSignal.timeout(10 * SECOND))
    } catch (error) {
      if (!mayComeAgain(error)) throw error
      if (Date.now() > run.until) throw new GaveUp('Nobody answers any more.', { cause: error })
      await delay(PAUSE)
    }
  }
}

/** A caller of the product whose answers are counted. */
export function openClient({ world, book }: Run, cookie: string): Client {
  const send: typeof fetch = async (input, init) => {
    try {
      const response = await fetch(input, init)
      book.countAnswer(response.ok ? '2xx' : String(response.status))
      return response
    } catch (error) {
      book.countAnswer('none')
      throw error
    }
  }
  return createClient({ baseUrl: world.url, headers: { cookie }, fetch: send })
}

const mayComeAgain = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500 || error.status === 429 || error.code === 'request_in_progress'
