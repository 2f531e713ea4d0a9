import type { Person } from '#shared/contract/admin/person.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { showDevice } from '#pwa/lib/showDevice.ts'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { Nothing, Time } from './cells.tsx'

const columns = (): readonly Column<Person['sessions'][number]>[] => [
  { name: t('Device'), isWide: true, cell: ({ device }) => <span className="font-strong">{showDevice(device)}</span> },
  { name: t('IP address'), cell: ({ ip }) => (ip ? <span className="exact text-ink-10">{ip}</span> : <Nothing />) },
  { name: t('Logged in'), cell: ({ since }) => <Time at={since} /> },
  { name: t('Last seen'), cell: ({ lastSeen }) => <Time at={lastSeen} /> },
]

/** Where the account is logged in. Resetting its password ends all of them. */
export function SessionTable({ person: { sessions, sessionCount } }: { person: Person }) {
  return (
    <section aria-labelledby="sessions" className="mt-8">
      <h2 id="sessions" className="mb-3 text-16 font-strong">
        {t('Sessions')}
        {sessionCount > 0 && <span className="figures ml-2 text-14 font-normal text-ink-9">{formatCount(sessionCount)}</span>}
      </h2>
      {sessions.length === 0 ? (
        <p className="rounded-card border border-ink-5 bg-surface px-4 py-5 text-14 text-ink-10">
          {t('Not logged in anywhere.')}
        </p>
      ) : (
        <DataTable label={t('Sessions')} columns={columns()} rows={sessions} keyOf={({ id }) => id} />
      )}
      {sessionCount > sessions.length && (
        <p className="mt-2 text-12 text-ink-9">{t('Only the latest {count} are listed.', { count: sessions.length })}</p>
      )}
    </section>
  )
}
