import { createClient } from '#shared/contract/client.ts'
import { useLanguage } from '#pwa/i18n/language.ts'
import { createOfflineFetch } from './createOfflineFetch.ts'
import { createSessionFetch, pathOf } from './createSessionFetch.ts'
import { takeEarlyAnswer } from './earlyAnswers.ts'

/** Calls our API. Throws ApiError when the API refuses, TypeError when it cannot be reached. */
export const api = createClient({
  // Nothing is called where there is no page.
  baseUrl: typeof location === 'undefined' ? '' : location.origin,
  fetch: createOfflineFetch(createSessionFetch(send)),
})

async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const early = (init?.method ?? 'GET') === 'GET' && (await takeEarlyAnswer(pathOf(input))?.catch(() => undefined))
  if (early) return early
  const headers = new Headers(init?.headers)
  // Of the page rather than of the browser: mails are written in it.
  headers.set('accept-language', useLanguage.getState().language)
  // Whoever was told of a change a moment ago must not be answered by the browser's copy from before it.
  return fetch(input, { ...init, headers, cache: 'no-cache' })
}
