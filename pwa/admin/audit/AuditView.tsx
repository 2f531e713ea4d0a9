import { keepPreviousData, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Fragment } from 'react'
import { AUDIT_ROWS_PER_PAGE, type AuditRow } from '#shared/contract/admin/audit.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { formatDate } from '#pwa/lib/formatDate.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { auditQuery } from '../queries.ts'
import { AuditFilters } from './AuditFilters.tsx'
import { Differences } from './Differences.tsx'
import { useAuditPlace } from './useAuditPlace.ts'

const columns: readonly Column<AuditRow>[] = [
  {
    name: 'Time',
    head: 'Time (UTC)',
    cell: ({ at }) => <DateOverTime at={at} />,
    className: 'md:align-top md:whitespace-nowrap md:py-2!',
  },
  { name: 'Who', cell: ({ actor }) => <Actor actor={actor} />, className: 'md:align-top md:py-2! md:max-w-56' },
  {
    name: 'IP address',
    cell: ({ ip }) => <span className={clsx('exact text-ink-10', ip?.includes('.') && 'whitespace-nowrap')}>{ip ?? '–'}</span>,
    className: 'md:align-top md:py-2! md:max-w-36',
  },
  {
    name: 'Action',
    cell: ({ action }) => <Action action={action} />,
    className: 'md:align-top md:py-2! md:max-w-48',
  },
  {
    name: 'Target',
    cell: ({ target }) => <span className="exact text-ink-10">{target ?? '–'}</span>,
    className: 'md:align-top md:py-2! md:max-w-52',
  },
  {
    name: 'Before → after',
    cell: ({ before, after }) => <Differences before={before} after={after} />,
    isWide: true,
    className: 'md:align-top md:py-2! md:w-[38%]',
  },
]

/** Who did what, when, from where, and what it changed. Latest first. */
export function AuditView() {
  const { go, ...place } = useAuditPlace()
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...auditQuery(place),
    placeholderData: keepPreviousData,
  })
  return (
    <section aria-labelledby="audit">
      <header className="mb-4 flex items-center justify-between gap-2">
        <div>
          <h2 id="audit" className="text-20 font-strong">
            Audit
          </h2>
          <p className="mt-0.5 text-14 text-ink-10">Who did what, when, and from where. Nothing here can be changed.</p>
        </div>
        <RefreshButton what="the audit log" isFetching={isFetching} onRefresh={() => void refetch()} />
      </header>
      <AuditFilters {...place} actions={data?.actions} onChange={go} />
      {error && (
        <ListError title="The audit log could not be read" error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      )}
      {!data && !error && <ListSkeleton what="the audit log" />}
      {data && !error && data.entries.length === 0 && (
        <Card className="py-12 text-center text-ink-10">
          {place.action || place.actor ? 'No entry matches this filter.' : 'Nothing has been done yet.'}
        </Card>
      )}
      {data && !error && data.entries.length > 0 && (
        <>
          <DataTable label="Audit log" columns={columns} rows={data.entries} keyOf={({ id }) => id} isBusy={isPlaceholderData} />
          <Pager what="entries" page={place.page} pageSize={AUDIT_ROWS_PER_PAGE} paging={data} onPage={(page) => go({ page })} />
          {data.isCut && (
            <p className="mt-3 text-14 text-ink-9">
              These pages reach back over the newest {formatCount(data.totalCount)} entries. A filter or the export reaches the
              older ones.
            </p>
          )}
        </>
      )}
    </section>
  )
}

/** To the second: what somebody did within a minute is told apart. */
function DateOverTime({ at }: { at: Date }) {
  const time = at.toISOString()
  return (
    <time dateTime={time} className="figures">
      <span className="md:block">{formatDate(at)}</span> <span className="text-ink-9 md:block">{time.slice(11, 19)}</span>
    </time>
  )
}

/** Broken after a dot or a line alone: "purchase." and "manual_" and "confirm". */
const Action = ({ action }: { action: string }) => (
  <span className="font-strong text-ink-12">
    {action.split(/(?<=[._])/).map((part, place) => (
      <Fragment key={place}>
        {place > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </span>
)

const kinds = { admin: 'administrator', user: 'user', operator: 'operator' } as const

/** The name first, its kind small below: "admin:root" is an administrator named root. */
function Actor({ actor }: { actor: string }) {
  const [kind = '', ...rest] = actor.split(':')
  if (rest.length === 0 || !(kind in kinds)) return <span className="wrap-anywhere">{actor}</span>
  return (
    <span className="block min-w-0">
      <span className="block wrap-anywhere">{rest.join(':')}</span>
      <span className="block text-12 text-ink-9">{kinds[kind as keyof typeof kinds]}</span>
    </span>
  )
}
