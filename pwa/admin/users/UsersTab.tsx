import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type AdminUserRow,
  exportUsers,
  type UserFilter,
  userFilters,
  USERS_PER_PAGE,
  type UserSort,
  userSorts,
} from '#shared/contract/admin/users.ts'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { TruncatedNotice } from '../lists/TruncatedNotice.tsx'
import { EmailSearch } from '../lists/EmailSearch.tsx'
import { ExportLinks } from '../lists/ExportLinks.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListFilters } from '../lists/ListFilters.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { NewRows } from '../lists/NewRows.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { StatusFilter } from '../lists/StatusFilter.tsx'
import { Summary } from '../lists/Summary.tsx'
import { queryOf, useListParams } from '../lists/useListParams.ts'
import { zoneOf } from '../zone/officeZone.ts'
import { countUsers, type UserPlace, usersQuery, userSummaryQuery } from './queries.ts'
import { ResetPassword } from './ResetPassword.tsx'
import { ThawUser } from './ThawUser.tsx'
import { UserTable } from './UserTable.tsx'

export function UsersTab() {
  const { email, filter, page, isFiltered, search, narrow, goTo } = useListParams({ statuses: userFilters, sorts: userSorts })
  const zone = zoneOf()
  const place = { email, filter, zone, page }
  const query = usersQuery(place)
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = useQuery(query)
  const [resetting, setResetting] = useState<AdminUserRow | null>(null)
  const [thawing, setThawing] = useState<AdminUserRow | null>(null)
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <StatusFilter
            value={filter.status}
            options={userFilters.map((value) => ({ value, label: translate(filterNames[value]) }))}
            onChange={(status) => narrow({ status })}
            all={t('All users')}
          />
          <EmailSearch email={email} onSearch={search} isPending={isFetching} clearLabel={t('Clear search')} />
        </div>
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <ExportLinks
            call={exportUsers}
            query={{ ...(email && { email }), ...queryOf(filter, zone) }}
            label={t('Excel download')}
          />
          <RefreshButton what={t('users')} isFetching={isFetching} onRefresh={() => void refetch()} />
        </div>
      </div>
      <ListFilters
        filter={filter}
        zone={zone}
        unit="XCR"
        sorts={userSorts.map((value) => ({ value, label: translate(sortNames[value]) }))}
        onChange={(next) => narrow(next as Parameters<typeof narrow>[0])}
      />
      {error && (
        <ListError title={t('Failed to fetch users')} error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      )}
      {!error && !data && <ListSkeleton what={t('users')} />}
      {!error && data && (
        <>
          <NewRows
            listKey={query.queryKey}
            fetchedAt={dataUpdatedAt}
            totalCount={data.totalCount}
            count={(signal) => countUsers(place, signal)}
            onShow={() => void refetch()}
          />
          {isFiltered && <UserSummary place={place} />}
          {data.isCut && <TruncatedNotice />}
          {data.users.length === 0 ? (
            <Card className="py-12 text-center text-ink-10">{emptyText({ email, isFiltered, totalCount: data.totalCount })}</Card>
          ) : (
            <UserTable zone={zone} users={data.users} isBusy={isPlaceholderData} onReset={setResetting} onThaw={setThawing} />
          )}
          <Pager what={t('users')} page={page} pageSize={USERS_PER_PAGE} paging={data} onPage={goTo} />
        </>
      )}
      {thawing && <ThawUser user={thawing} onClose={() => setThawing(null)} />}
      <ResetPassword user={resetting} onClose={() => setResetting(null)} />
    </>
  )
}

const filterNames: Record<UserFilter, Message> = {
  frozen: msg('Frozen'),
  with_nodes: msg('With nodes'),
  without_nodes: msg('Without nodes'),
  without_wallet: msg('Without a wallet'),
}

const sortNames: Record<UserSort, Message> = {
  newest: msg('Newest first'),
  oldest: msg('Oldest first'),
  email: msg('By email'),
  nodes: msg('Most nodes first'),
  balance: msg('Most XCR first'),
  earned: msg('Most earned first'),
}

function UserSummary({ place }: { place: UserPlace }) {
  const { data } = useQuery(userSummaryQuery(place))
  if (!data) return null
  return (
    <Summary
      figures={[
        [t('Users'), formatCount(data.count)],
        [t('Nodes'), formatCount(data.nodes)],
        [t('Available XCR'), <Amount key="available" value={data.availableXcr} size={20} maxDecimals={2} />],
        [t('Total earned XCR'), <Amount key="earned" value={data.totalEarnedXcr} size={20} maxDecimals={2} />],
      ]}
    />
  )
}

function emptyText({ email, isFiltered, totalCount }: { email: string; isFiltered: boolean; totalCount: number }): string {
  if (totalCount > 0) return t('This page is empty.')
  if (isFiltered && !email) return t('No user matches this filter.')
  return email ? t('No user’s email contains “{email}”.', { email }) : t('No users yet.')
}
