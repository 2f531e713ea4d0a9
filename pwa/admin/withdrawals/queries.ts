import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  listAdminWithdrawals,
  searchAdminWithdrawals,
  type WithdrawalFilter,
  WITHDRAWALS_PER_PAGE,
} from '#shared/contract/admin/withdrawals.ts'
import { api } from '#pwa/lib/api.ts'

/** One page of the withdrawals with this status whose user's e-mail contains the search text. Refetched on every mount, because others change it. */
export function adminWithdrawalsQuery({ email, status, page }: { email: string; status: WithdrawalFilter | null; page: number }) {
  const part = {
    limit: WITHDRAWALS_PER_PAGE,
    offset: (page - 1) * WITHDRAWALS_PER_PAGE,
    ...(status && { status }),
  }
  return queryOptions({
    queryKey: [email ? searchAdminWithdrawals.path : listAdminWithdrawals.path, { ...part, ...(email && { email }) }],
    queryFn: ({ signal }) =>
      email
        ? api(searchAdminWithdrawals, { query: { email, ...part } }, { signal })
        : api(listAdminWithdrawals, { query: part }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}
