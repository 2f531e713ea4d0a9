import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { PERSON_ROWS_PER_PAGE } from '#shared/contract/admin/person.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { Pager } from '../lists/Pager.tsx'
import { type PartEndpoint, partQuery } from './queries.ts'

interface PersonTableProps<Row> {
  personId: string
  endpoint: PartEndpoint<Row>
  title: string
  /** Plural name of the rows, as in "Loading purchases". */
  what: string
  /** Shown in place of the table if there are no rows. */
  ifEmpty: string
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
  /** Beside the title. */
  action?: ReactNode
  /** Between title and table. */
  children?: ReactNode
}

/** One kind of an account's rows, with its pages. */
export function PersonTable<Row>(props: PersonTableProps<Row>) {
  const { personId, endpoint, title, what, ifEmpty, columns, keyOf, action, children } = props
  const headingId = useId()
  const [page, setPage] = useState(1)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(partQuery(endpoint, { id: personId, page }))
  return (
    <section aria-labelledby={headingId} className="mt-8 first:mt-0">
      <header className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={headingId} className="text-16 font-strong">
          {title}
          {data && data.totalCount > 0 && (
            <span className="figures ml-2 text-14 font-normal text-ink-9">{formatCount(data.totalCount)}</span>
          )}
        </h2>
        {action}
      </header>
      {children}
      {error && (
        <ListError
          title={t('Failed to fetch {what}', { what })}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!error && !data && <ListSkeleton what={what} rows={3} />}
      {!error && data && data.rows.length === 0 && (
        <p className="rounded-card border border-ink-5 bg-surface px-4 py-5 text-14 text-ink-10">
          {data.totalCount > 0 ? t('This page is empty.') : ifEmpty}
        </p>
      )}
      {!error && data && data.rows.length > 0 && (
        <DataTable label={title} columns={columns} rows={data.rows} keyOf={keyOf} isBusy={isPlaceholderData} />
      )}
      {!error && data && <Pager what={what} page={page} pageSize={PERSON_ROWS_PER_PAGE} paging={data} onPage={setPage} />}
    </section>
  )
}
