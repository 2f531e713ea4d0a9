import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listUsers, searchUsers, USERS_PER_PAGE } from '#shared/contract/admin/users.ts'
import { api } from '#pwa/lib/api.ts'

/** One page of the users whose e-mail contains the search text. Refetched on every mount, because others change it. */
export function usersQuery({ email, page }: { email: string; page: number }) {
  const part = { limit: USERS_PER_PAGE, offset: (page - 1) * USERS_PER_PAGE }
  return queryOptions({
    queryKey: [email ? searchUsers.path : listUsers.path, { ...part, ...(email && { email }) }],
    queryFn: ({ signal }) =>
      email ? api(searchUsers, { query: { email, ...part } }, { signal }) : api(listUsers, { query: part }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}
