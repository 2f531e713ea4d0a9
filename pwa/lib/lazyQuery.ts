import { queryOptions } from '@tanstack/react-query'
import type { Endpoint, Output } from '#shared/contract/endpoint.ts'

/**
 * A query for an endpoint without input. The contract with its schemas is as large as a page, so queries that every page makes
 * load their endpoint with the first call and know only its path. The path is the query key, because `GET /api/events` names
 * changes by path.
 */
export const lazyQuery = <const E extends Endpoint>(path: E['path'], load: () => Promise<E>) =>
  queryOptions<Output<E>, Error, Output<E>, readonly [string]>({
    queryKey: [path],
    queryFn: async ({ signal }) => {
      const [{ api }, endpoint] = await Promise.all([import('./api.ts'), load()])
      return api(endpoint, {} as never, { signal })
    },
  })
