import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { approveWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { t } from '#pwa/i18n/t.ts'
import { useSearch } from '#pwa/lib/useSearch.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { scrollToTabs } from '../panel/scrollToTabs.ts'
import { useMayCall } from '../useMayCall.ts'
import { waitingQuery } from './useWaiting.ts'
import { waitingKinds } from './waitingKinds.ts'

/**
 * Everything that waits, each with a link to the list that shows it. Of those who may decide about none of it the strip only says what waits.
 */
export function TodoStrip() {
  const { data: waiting, isError } = useQuery(waitingQuery)
  const [search] = useSearch()
  const mayCall = useMayCall()
  const title = mayCall(approveWithdrawal) ? t('To do') : t('Waiting for others')
  const shown = waiting ? waitingKinds.filter(({ kind }) => waiting[kind] > 0) : []
  return (
    <section
      aria-label={title}
      className="mb-4 flex min-h-13 flex-wrap items-center gap-x-3 gap-y-1 rounded-card border border-ink-5 bg-surface px-4 py-1.5"
    >
      <h2 className="text-14 font-strong">{title}</h2>
      {waiting && shown.length === 0 && <StatusWord tone="done">{t('Nothing waits')}</StatusWord>}
      {!waiting && <span className="text-14 text-ink-9">{isError ? t("Couldn't count what waits") : t('Counting...')}</span>}
      {waiting && shown.length > 0 && (
        <ul className="flex min-w-0 flex-wrap gap-x-2 gap-y-1 max-sm:w-full">
          {shown.map(({ kind, tab, status, isAlarm, describe }) => (
            <li key={kind}>
              <Link
                to={`/admin-panel?${new URLSearchParams({ tab, ...(status && { status }) })}`}
                aria-current={search.get('tab') === tab && search.get('status') === (status ?? null) ? 'true' : undefined}
                onClick={scrollToTabs}
                className={clsx(
                  'figures inline-flex min-h-11 items-center rounded-input border px-3 no-underline transition-colors aria-[current]:border-ink-8',
                  isAlarm ? 'border-red-line bg-red-soft' : 'border-amber-line bg-amber-soft',
                )}
              >
                <StatusWord tone={isAlarm ? 'refused' : 'waiting'}>{describe(waiting[kind])}</StatusWord>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
