import { useIsFetching, useQuery } from '@tanstack/react-query'
import { SECOND } from '#shared/dates.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'

/** The first key of the queries below, which the back office's event stream refetches. */
export const NEW_ROWS_KEY = 'new-rows'
const INTERVAL = 20 * SECOND

interface NewRowsProps {
  /** The query of the list that is shown, when it was fetched, and how many rows it had then. */
  listKey: readonly unknown[]
  fetchedAt: number
  totalCount: number
  /** Counts the rows of the same list now. */
  count: (signal: AbortSignal) => Promise<number>
  onShow: () => void
}

/**
 * Announces rows that came since the list was fetched, or that another administrator has decided. The list itself stays as it is until
 * somebody asks for it.
 */
export function NewRows({ listKey, fetchedAt, totalCount, count, onShow }: NewRowsProps) {
  const { data: now } = useQuery({
    queryKey: [NEW_ROWS_KEY, ...listKey, fetchedAt],
    queryFn: ({ signal }) => count(signal),
    initialData: totalCount,
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: INTERVAL,
  })
  // After a decision of one's own the list is fetched anyway.
  const isFetching = useIsFetching({ queryKey: listKey, exact: true }) > 0
  const added = isFetching ? 0 : now - totalCount
  return (
    <div role="status" className="empty:hidden">
      {added !== 0 && (
        <p className="mb-4 flex flex-wrap items-center gap-3 rounded-card border border-accent bg-accent-soft px-4 py-1 text-14">
          <span className="figures font-strong">
            {added > 0
              ? t('{count} new', { count: added })
              : plural(-added, '{count} is no longer in this list', '{count} are no longer in this list')}
          </span>
          <Button variant="quiet" onClick={onShow}>
            {added > 0 ? t('Show') : t('Refresh the list')}
          </Button>
        </p>
      )}
    </div>
  )
}
