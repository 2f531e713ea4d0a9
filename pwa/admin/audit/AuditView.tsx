import { keepPreviousData, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Fragment } from 'react'
import { AUDIT_ROWS_PER_PAGE, type AuditRow } from '#shared/contract/admin/audit.ts'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { Link } from '#pwa/ui/Link.tsx'
import { partOfKind } from '../find/foundWords.ts'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { NewRows } from '../lists/NewRows.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { pathOfPerson } from '../person/pathOfPerson.ts'
import { auditQuery, countAudit } from '../queries.ts'
import { formatClockIn, formatDayIn, nameZone, zoneOf } from '../zone/officeZone.ts'
import { actionNames } from './actionNames.ts'
import { AuditFilters } from './AuditFilters.tsx'
import { Differences } from './Differences.tsx'
import { nameOfTarget } from './fieldNames.ts'
import { useAuditParams } from './useAuditParams.ts'

/** The columns of entries. */
export const auditColumns = (zone: string): readonly Column<AuditRow>[] => [
  {
    name: t('Time'),
    head: t('Time ({zone})', { zone: nameZone(zone) }),
    cell: ({ at }) => <DateOverTime at={at} zone={zone} />,
    className: 'md:align-top md:whitespace-nowrap md:py-2!',
  },
  { name: t('Who'), cell: ({ actor }) => <Actor actor={actor} />, className: 'md:align-top md:py-2! md:min-w-40 md:max-w-56' },
  {
    name: t('IP address'),
    cell: ({ ip }) => <span className={clsx('exact text-ink-10', ip?.includes('.') && 'whitespace-nowrap')}>{ip ?? '–'}</span>,
    className: 'md:align-top md:py-2! md:max-w-36',
  },
  {
    name: t('Action'),
    cell: ({ action }) => <Action action={action} />,
    className: 'md:align-top md:py-2! md:max-w-48',
  },
  {
    name: t('Target'),
    cell: (entry) => <Target {...entry} />,
    className: 'md:align-top md:py-2! md:max-w-52',
  },
  {
    name: t('Before → after'),
    cell: ({ before, after }) => <Differences before={before} after={after} />,
    isWide: true,
    className: 'md:align-top md:py-2! md:w-[38%]',
  },
]

/** The audit log: who did what, when, from where, and what changed. Newest first. */
export function AuditView() {
  const { go, ...place } = useAuditParams()
  const zone = zoneOf()
  const query = auditQuery(place, zone)
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = useQuery({
    ...query,
    placeholderData: keepPreviousData,
  })
  return (
    <section aria-labelledby="audit">
      <header className="mb-4 flex items-center justify-between gap-2">
        <div>
          <h2 id="audit" className="text-20 font-strong">
            {t('Audit')}
          </h2>
          <p className="mt-0.5 text-14 text-ink-10">{t('Who did what, when, and from where. Nothing here can be changed.')}</p>
        </div>
        <RefreshButton what={t('the audit log')} isFetching={isFetching} onRefresh={() => void refetch()} />
      </header>
      <AuditFilters {...place} zone={zone} actions={data?.actions} onChange={go} />
      {error && (
        <ListError
          title={t("Couldn't load the audit log")}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && <ListSkeleton what={t('the audit log')} />}
      {data && !error && (
        <NewRows
          listKey={query.queryKey}
          fetchedAt={dataUpdatedAt}
          totalCount={data.totalCount}
          count={(signal) => countAudit(place, zone, signal)}
          onShow={() => void refetch()}
        />
      )}
      {data && !error && data.entries.length === 0 && (
        <Card className="py-12 text-center text-ink-10">
          {t(
            place.action || place.actor || place.person || place.from || place.to
              ? 'No entry matches this filter.'
              : 'No activity yet.',
          )}
        </Card>
      )}
      {data && !error && data.entries.length > 0 && (
        <>
          <DataTable
            label={t('Audit log')}
            columns={auditColumns(zone)}
            rows={data.entries}
            keyOf={({ id }) => id}
            isBusy={isPlaceholderData}
          />
          <Pager
            what={t('entries')}
            page={place.page}
            pageSize={AUDIT_ROWS_PER_PAGE}
            paging={data}
            onPage={(page) => go({ page })}
          />
          {data.isCut && (
            <p className="mt-3 text-14 text-ink-9">
              {t('These pages show the newest {count} entries. Use a filter or the export for older ones.', {
                count: data.totalCount,
              })}
            </p>
          )}
        </>
      )}
    </section>
  )
}

/** With seconds, to tell apart actions within the same minute. */
function DateOverTime({ at, zone }: { at: Date; zone: string }) {
  return (
    <time dateTime={at.toISOString()} className="figures">
      <span className="md:block">{formatDayIn(at, zone)}</span>{' '}
      <span className="text-ink-9 md:block">{formatClockIn(at, zone)}</span>
    </time>
  )
}

/** What the entry is about, with a link to the page of its account. Breaks after the kind rather than within an address. */
function Target({ target, userId }: Pick<AuditRow, 'target' | 'userId'>) {
  if (target === null) return '–'
  const [kind = '', ...rest] = target.split(':')
  const name =
    rest.length === 0 ? (
      target
    ) : (
      <>
        {kind}:<wbr />
        {rest.join(':')}
      </>
    )
  const word = nameOfTarget(target)
  if (word)
    return (
      <span className="block min-w-0">
        <span className="block">{word}</span>
        <Code action={target} className="block text-12 text-ink-9" />
      </span>
    )
  if (!userId) return <span className="exact text-ink-10">{name}</span>
  return (
    <Link
      to={pathOfPerson(userId, partOfKind[kind])}
      className="exact inline-block text-ink-10 underline decoration-ink-6 underline-offset-4 hover:decoration-current max-md:min-h-11 max-md:py-2.5"
    >
      {name}
    </Link>
  )
}

/** The action's name over its code. One that this version does not know has its code only. */
function Action({ action }: { action: string }) {
  const name = wordOf(actionNames, action)
  if (name === action) return <Code action={action} className="font-strong text-ink-12" />
  return (
    <span className="block min-w-0">
      <span className="block font-strong text-ink-12">{name}</span>
      <Code action={action} className="block text-12 text-ink-9" />
    </span>
  )
}

/** May break only after a dot or an underscore: "purchase.", "manual_", "confirm". */
const Code = ({ action, className }: { action: string; className: string }) => (
  <span translate="no" className={className}>
    {action.split(/(?<=[._])/).map((part, place) => (
      <Fragment key={place}>
        {place > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </span>
)

const kinds = { admin: msg('administrator'), user: msg('user'), operator: msg('operator') } as const

/** The name first, the kind of actor small below: "admin:root" is an administrator named root. */
function Actor({ actor }: { actor: string }) {
  const [kind = '', ...rest] = actor.split(':')
  if (rest.length === 0 || !(kind in kinds)) return <span className="wrap-anywhere">{actor}</span>
  return (
    <span className="block min-w-0">
      <span className="block wrap-anywhere">{rest.join(':')}</span>
      <span className="block text-12 text-ink-9">{translate(kinds[kind as keyof typeof kinds])}</span>
    </span>
  )
}
