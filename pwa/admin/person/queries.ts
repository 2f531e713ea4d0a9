import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { getPerson, PERSON_ROWS_PER_PAGE } from '#shared/contract/admin/person.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import type { pagingFields } from '#shared/contract/paging.ts'
import { api } from '#pwa/lib/api.ts'

/**
 * Most changes of an account have no event, so all of it is refetched on every mount. A freeze, a thaw and a planned removal of the
 * authenticator have one.
 */
const volatile = { staleTime: 0, gcTime: 0 } as const

export const personQuery = (id: string) =>
  queryOptions({
    queryKey: [getPerson.path, id],
    queryFn: ({ signal }) => api(getPerson, { params: { id } }, { signal }),
    ...volatile,
  })

/** The endpoint of one kind of an account's rows. */
export type PartEndpoint<Row> = Endpoint & {
  params: typeof getPerson.params
  query: z.ZodType<{ limit: number; offset: number }>
  response: z.ZodType<{ rows: Row[] } & z.output<z.ZodObject<typeof pagingFields>>>
}

/** A page of one kind of an account's rows. A change that refetches the account refetches them too. */
export const partQuery = <Row>(endpoint: PartEndpoint<Row>, { id, page }: { id: string; page: number }) =>
  queryOptions({
    queryKey: [getPerson.path, id, endpoint.path, page],
    queryFn: ({ signal }) =>
      api(
        endpoint,
        { params: { id }, query: { limit: PERSON_ROWS_PER_PAGE, offset: (page - 1) * PERSON_ROWS_PER_PAGE } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    ...volatile,
  })
