import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  BONUS_ROWS_PER_PAGE,
  type BonusFilter,
  type BonusSort,
  listBonusDue,
  listBonusStatus,
} from '#shared/contract/admin/bonus.ts'
import { api } from '#pwa/lib/api.ts'
import { emptyIfForbidden } from '../emptyIfForbidden.ts'
import { emptyPaging } from '../lists/emptyPaging.ts'

interface Place {
  email: string
  status: BonusFilter | null
  sort: BonusSort | null
  page: number
}

/** One page of the users' bonuses, most pending first. Refetched on every mount, because others buy and grant. */
export const bonusStatusQuery = ({ email, status, sort, page }: Place) =>
  queryOptions({
    queryKey: [listBonusStatus.path, { email, status, sort, page }] as const,
    queryFn: ({ signal }) =>
      emptyIfForbidden(
        api(
          listBonusStatus,
          {
            query: {
              limit: BONUS_ROWS_PER_PAGE,
              offset: (page - 1) * BONUS_ROWS_PER_PAGE,
              ...(email && { email }),
              ...(status && { status }),
              ...(sort && { sort }),
            },
          },
          { signal },
        ),
        { users: [], ...emptyPaging },
      ),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })

/** The largest page of a list. */
const MAX_ROWS = 100

/** The bonus of the account with exactly this email. Unknown if more accounts contain it than are read. */
export const bonusOfQuery = (email: string) =>
  queryOptions({
    queryKey: [listBonusStatus.path, { email }] as const,
    queryFn: async ({ signal }) => {
      const found = await api(listBonusStatus, { query: { limit: MAX_ROWS, offset: 0, email } }, { signal })
      return found.users.find(({ userEmail }) => userEmail === email) ?? (found.hasNextPage ? 'unknown' : 'none')
    },
    gcTime: 0,
  })

/** The current preview of "grant all due". */
export const bonusDueQuery = queryOptions({
  queryKey: [listBonusDue.path] as const,
  queryFn: ({ signal }) => api(listBonusDue, {}, { signal }),
  gcTime: 0,
})
