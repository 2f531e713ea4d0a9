import { createClient } from '#shared/contract/client.ts'

/** Calls our API. Throws ApiError when the API refuses, TypeError when it cannot be reached. */
// Whoever was told of a change a moment ago must not be answered by the browser's copy from before it.
export const api = createClient({
  baseUrl: location.origin,
  fetch: (input, init) => fetch(input, { ...init, cache: 'no-cache' }),
})
