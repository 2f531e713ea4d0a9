import { createClient } from '#shared/contract/client.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { useLanguage } from '#pwa/i18n/language.ts'
import { createOfflineFetch } from './createOfflineFetch.ts'
import { createSessionFetch, pathOf } from './createSessionFetch.ts'
import { takeEarlyAnswer } from './earlyAnswers.ts'

/** For calls that hold a dialog until their answer. The server answers well within this time, or its answer is lost. */
export const ANSWER_TIMEOUT = 30 * SECOND

/** After this time the answer to any other call that changes something counts as lost, so that nothing waits for ever. */
const WRITE_TIMEOUT = MINUTE

/** Calls our API. Throws ApiError when the API refuses, TypeError when it cannot be reached. */
export const api = createClient({
  // No calls during server rendering.
  baseUrl: typeof location === 'undefined' ? '' : location.origin,
  fetch: createOfflineFetch(createSessionFetch(send)),
})

async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const isWrite = (init?.method ?? 'GET') !== 'GET'
  const early = !isWrite && (await takeEarlyAnswer(pathOf(input))?.catch(() => undefined))
  if (early) return early
  const headers = new Headers(init?.headers)
  // The page's language rather than the browser's: emails use it.
  headers.set('accept-language', useLanguage.getState().language)
  const signal = init?.signal ?? (isWrite ? AbortSignal.timeout(WRITE_TIMEOUT) : null)
  // After an event of a change, the browser's HTTP cache may still have the old response.
  return fetch(input, { ...init, signal, headers, cache: 'no-cache' })
}
