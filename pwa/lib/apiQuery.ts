import { queryOptions } from '@tanstack/react-query'
import type { Endpoint, Output } from '#shared/contract/endpoint.ts'
import { api } from './api.ts'

/** An endpoint that takes nothing, as a query. Its key is its path: `GET /api/events` names changes by path. */
export const apiQuery = <E extends Endpoint>(endpoint: E) =>
  queryOptions<Output<E>, Error, Output<E>, readonly [string]>({
    queryKey: [endpoint.path],
    queryFn: ({ signal }) => api(endpoint, {} as never, { signal }),
  })
