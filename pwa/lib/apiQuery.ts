import { queryOptions } from '@tanstack/react-query'
import type { Endpoint, Output } from '#shared/contract/endpoint.ts'
import { api } from './api.ts'

/** A query for an endpoint without input. Its key is the path: `GET /api/events` names changes by path. */
export const apiQuery = <E extends Endpoint>(endpoint: E) =>
  queryOptions<Output<E>, Error, Output<E>, readonly [string]>({
    queryKey: [endpoint.path],
    queryFn: ({ signal }) => api(endpoint, {} as never, { signal }),
  })
