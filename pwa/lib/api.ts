import { createClient } from '#shared/contract/client.ts'
import { useLanguage } from '#pwa/i18n/language.ts'
import { createOfflineFetch } from './createOfflineFetch.ts'
import { createSessionFetch, pathOf } from './createSessionFetch.ts'
import { takeEarlyAnswer } from './earlyAnswers.ts'

/** Calls our API. Throws ApiError when the API refuses, TypeError when it cannot be reached. */
export const api = createClient({
  // No calls during server rendering.
  baseUrl: typeof location === 'undefined' ? '' : location.origin,
  fetch: createOfflineFetch(createSessionFetch(send)),
})

async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const early = (init?.method ?? 'GET') === 'GET' && (await takeEarlyAnswer(pathOf(input))?.catch(() => undefined))
  if (early) return early
  const headers = new Headers(init?.headers)
  // The page's language rather than the browser's: emails use it.
  headers.set('accept-language', useLanguage.getState().language)
  // After an event of a change, the browser's HTTP cache may still have the old response.
  return fetch(input, { ...init, headers, cache: 'no-cache' })
}
