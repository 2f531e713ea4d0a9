import { queryOptions } from '@tanstack/react-query'
import type { Endpoint, Output } from '#shared/contract/endpoint.ts'

/**
 * An endpoint that takes nothing, as a query. The contract with its schemas is as large as a page: what every page asks fetches it with
 * the first call, and knows only the path beforehand. That is the key: `GET /api/events` names changes by path.
 */
export const lateQuery = <const E extends Endpoint>(path: E['path'], load: () => Promise<E>) =>
  queryOptions<Output<E>, Error, Output<E>, readonly [string]>({
    queryKey: [path],
    queryFn: async ({ signal }) => {
      const [{ api }, endpoint] = await Promise.all([import('./api.ts'), load()])
      return api(endpoint, {} as never, { signal })
    },
  })
