import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AdminUserRow, USERS_PER_PAGE } from '#shared/contract/admin/users.ts'
import { t } from '#pwa/i18n/t.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { TruncatedNotice } from '../lists/TruncatedNotice.tsx'
import { EmailSearch } from '../lists/EmailSearch.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { useListParams } from '../lists/useListParams.ts'
import { usersQuery } from './queries.ts'
import { ResetPassword } from './ResetPassword.tsx'
import { ThawUser } from './ThawUser.tsx'
import { UserTable } from './UserTable.tsx'

export function UsersTab() {
  const { email, page, search, goTo } = useListParams()
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(usersQuery({ email, page }))
  const [resetting, setResetting] = useState<AdminUserRow | null>(null)
  const [thawing, setThawing] = useState<AdminUserRow | null>(null)
  return (
    <>
      <div className="mb-4 flex items-start justify-between gap-2">
        <EmailSearch email={email} onSearch={search} isPending={isFetching} clearLabel={t('Clear search')} />
        <RefreshButton what={t('users')} isFetching={isFetching} onRefresh={() => void refetch()} />
      </div>
      {error && (
        <ListError title={t('Failed to fetch users')} error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      )}
      {!error && !data && <ListSkeleton what={t('users')} />}
      {!error && data && (
        <>
          {data.isCut && <TruncatedNotice />}
          {data.users.length === 0 ? (
            <Card className="py-12 text-center text-ink-10">{emptyText(email, data.totalCount)}</Card>
          ) : (
            <UserTable users={data.users} isBusy={isPlaceholderData} onReset={setResetting} onThaw={setThawing} />
          )}
          <Pager what={t('users')} page={page} pageSize={USERS_PER_PAGE} paging={data} onPage={goTo} />
        </>
      )}
      {thawing && <ThawUser user={thawing} onClose={() => setThawing(null)} />}
      <ResetPassword user={resetting} onClose={() => setResetting(null)} />
    </>
  )
}

function emptyText(email: string, totalCount: number): string {
  if (totalCount > 0) return t('This page is empty.')
  return email ? t('No user’s email contains “{email}”.', { email }) : t('No users yet.')
}
