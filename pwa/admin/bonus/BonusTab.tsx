import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { BONUS_ROWS_PER_PAGE } from '#shared/contract/admin/bonus.ts'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { useListParams } from '../lists/useListParams.ts'
import { BonusTable } from './BonusTable.tsx'
import { DueBonusDialog } from './DueBonusDialog.tsx'
import { GrantBonusForm } from './GrantBonusForm.tsx'
import { bonusStatusQuery } from './queries.ts'

/** Pending bonus nodes and the forms that grant them. */
export function BonusTab() {
  const { page, goTo } = useListParams()
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(bonusStatusQuery(page))
  const [isGranting, setGranting] = useState(false)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_320px]">
      <section aria-labelledby="bonus-title" className="min-w-0">
        <header className="mb-4 flex flex-wrap items-center justify-between gap-2">
          <h2 id="bonus-title" className="text-16 font-strong">
            {t('Bonus status')}
          </h2>
          <div className="flex gap-2">
            <Button onClick={() => setGranting(true)}>{t('Grant all due')}</Button>
            <RefreshButton what={t('bonus status')} isFetching={isFetching} onRefresh={() => void refetch()} />
          </div>
        </header>
        {error && (
          <ListError
            title={t('Failed to fetch bonus status')}
            error={error}
            isFetching={isFetching}
            onRetry={() => void refetch()}
          />
        )}
        {!error && !data && <ListSkeleton what={t('bonus status')} />}
        {!error && data && (
          <>
            {data.users.length === 0 ? (
              <Card className="py-12 text-center text-ink-10">
                {t(data.totalCount > 0 ? 'This page is empty.' : 'No users yet.')}
              </Card>
            ) : (
              <BonusTable rows={data.users} isBusy={isPlaceholderData} />
            )}
            <Pager what={t('users')} page={page} pageSize={BONUS_ROWS_PER_PAGE} paging={data} onPage={goTo} />
          </>
        )}
      </section>
      <GrantBonusForm />
      {isGranting && <DueBonusDialog onClose={() => setGranting(false)} />}
    </div>
  )
}
