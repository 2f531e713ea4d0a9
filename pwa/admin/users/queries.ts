import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  listUsers,
  searchUsers,
  summarizeUsers,
  type UserFilter,
  USERS_PER_PAGE,
  type UserSort,
} from '#shared/contract/admin/users.ts'
import { api } from '#pwa/lib/api.ts'
import { type ListFilter, queryOf } from '../lists/useListParams.ts'

export interface UserPlace {
  email: string
  filter: ListFilter<UserFilter, never, UserSort>
  zone: string
  page: number
}

const partOf = ({ filter, zone }: UserPlace) => {
  const { kind: _kind, ...query } = queryOf(filter, zone)
  return query
}

function readUsers({ email, ...place }: UserPlace, { limit, offset }: { limit: number; offset: number }, signal: AbortSignal) {
  const query = { limit, offset, ...partOf({ email, ...place }) }
  return email ? api(searchUsers, { query: { ...query, email } }, { signal }) : api(listUsers, { query }, { signal })
}

/** One page of the users that match. Refetched on every mount, because others change it. */
export const usersQuery = (place: UserPlace) =>
  queryOptions({
    queryKey: [place.email ? searchUsers.path : listUsers.path, place],
    queryFn: ({ signal }) => readUsers(place, { limit: USERS_PER_PAGE, offset: (place.page - 1) * USERS_PER_PAGE }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })

export const countUsers = async (place: UserPlace, signal: AbortSignal): Promise<number> =>
  (await readUsers(place, { limit: 1, offset: 0 }, signal)).totalCount

/** The sums of all users that match. */
export const userSummaryQuery = (place: UserPlace) =>
  queryOptions({
    queryKey: [summarizeUsers.path, { ...place, page: 0 }],
    queryFn: ({ signal }) =>
      api(summarizeUsers, { query: { ...partOf(place), ...(place.email && { email: place.email }) } }, { signal }),
    gcTime: 0,
  })
