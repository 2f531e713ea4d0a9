import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { ApiError, type Client, createClient } from '#shared/contract/client.ts'
import type { Run } from './Run.ts'

/** In milliseconds. */
const RETRY_DELAY = 400

/** Longer than the product waits for its database (DATABASE_ANSWER_TIMEOUT): what takes longer hangs. */
const ANSWER_TIMEOUT = 20 * SECOND

/** A request got no answer long after the last fault. */
export class RetryTimeoutError extends Error {
  override name = 'RetryTimeoutError'
}

/** Retries requests without an answer or with a temporary error, as the page does. @throws ApiError if it is refused. */
export async function retry<Answer>(run: Run, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask(AbortSignal.timeout(ANSWER_TIMEOUT))
    } catch (error) {
      if (!isTemporary(error)) throw error
      if (Date.now() > run.until) throw new RetryTimeoutError('The product does not answer.', { cause: error })
      await delay(RETRY_DELAY)
    }
  }
}

/** Creates a client that counts its answers. */
export function openClient({ world, history }: Run, cookie: string): Client {
  const send: typeof fetch = async (input, init) => {
    const sentAt = Date.now()
    try {
      const response = await fetch(input, init)
      history.countAnswer(describe(response), Date.now() - sentAt)
      return response
    } catch (error) {
      history.countAnswer('none', Date.now() - sentAt)
      throw error
    }
  }
  return createClient({ baseUrl: world.url, headers: { cookie }, fetch: send })
}

/** A 503 has to say when to retry. */
const describe = ({ ok, status, headers }: Response): string =>
  ok ? '2xx' : status === 503 && !headers.has('retry-after') ? '503 without Retry-After' : String(status)

const isTemporary = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500 || error.status === 429 || error.code === 'request_in_progress'
