import { queryOptions } from '@tanstack/react-query'
import { getMonth } from '#shared/contract/admin/books.ts'
import { api } from '#pwa/lib/api.ts'

/** The figures of a month (YYYY-MM). The current one changes all the time, and an audit may change any: refetched on every mount. */
export const monthQuery = (month: string) =>
  queryOptions({
    queryKey: [getMonth.path, { month }],
    queryFn: ({ signal }) => api(getMonth, { query: { month } }, { signal }),
    staleTime: 0,
  })
