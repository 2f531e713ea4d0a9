import { createClient } from '#shared/contract/client.ts'

/** Calls our API. Throws ApiError when the API refuses, TypeError when it cannot be reached. */
export const api = createClient({ baseUrl: location.origin, fetch: (input, init) => fetch(input, init) })
