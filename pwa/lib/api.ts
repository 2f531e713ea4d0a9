import { createClient } from '#shared/contract/client.ts'
import { createOfflineFetch } from './createOfflineFetch.ts'
import { createSessionFetch } from './createSessionFetch.ts'

/** Calls our API. Throws ApiError when the API refuses, TypeError when it cannot be reached. */
export const api = createClient({
  // Nothing is called where there is no page.
  baseUrl: typeof location === 'undefined' ? '' : location.origin,
  // Whoever was told of a change a moment ago must not be answered by the browser's copy from before it.
  fetch: createOfflineFetch(createSessionFetch((input, init) => fetch(input, { ...init, cache: 'no-cache' }))),
})
