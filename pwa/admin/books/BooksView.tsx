import { useQuery } from '@tanstack/react-query'
import { exportLedger, exportPayouts, exportRewards } from '#shared/contract/admin/books.ts'
import { exportDeposits } from '#shared/contract/admin/deposits.ts'
import { downloadPurchases } from '#shared/contract/admin/purchases.ts'
import { exportUsers } from '#shared/contract/admin/users.ts'
import { exportWithdrawals } from '#shared/contract/admin/withdrawals.ts'
import { utcDay } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import { useSearch } from '#pwa/lib/useSearch.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { useMayCall } from '../useMayCall.ts'
import { ExportLinks } from '../lists/ExportLinks.tsx'
import { ListError } from '../lists/ListError.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { beginOfDay } from '../zone/officeZone.ts'
import { MonthReport } from './MonthReport.tsx'
import { monthQuery } from './queries.ts'

const isMonth = (text: string | null): text is string => text !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(text)

/** The books of one month, and its files. Months are those of UTC, as the books'. */
export function BooksView() {
  const [search, setSearch] = useSearch()
  const now = useProductTime()
  const asked = search.get('month')
  const month = isMonth(asked) ? asked : utcDay(now).slice(0, 7)
  const { data, error, isFetching, refetch } = useQuery(monthQuery(month))

  function choose(next: string) {
    if (!isMonth(next)) return
    const changed = new URLSearchParams(search)
    changed.set('month', next)
    setSearch(changed)
  }

  return (
    <section aria-labelledby="books">
      <header className="mb-4 flex items-start justify-between gap-2">
        <div>
          <h2 id="books" className="text-20 font-strong">
            {t('Books')}
          </h2>
          <p className="mt-0.5 text-14 text-ink-10">{t('One month of the books, in UTC, and its files.')}</p>
        </div>
        <RefreshButton what={t('the report')} isFetching={isFetching} onRefresh={() => void refetch()} />
      </header>
      <div className="mb-4 w-full sm:w-52">
        <TextField
          type="month"
          label={t('Month (UTC)')}
          value={month}
          onChange={({ target }) => choose(target.value)}
          className="min-h-11! text-14!"
        />
      </div>
      {error && (
        <ListError title={t('Failed to fetch the report')} error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      )}
      {!error && !data && (
        <div role="status">
          <span className="sr-only">{t('Loading the report')}</span>
          <Skeleton className="h-96 rounded-card" />
        </div>
      )}
      {!error && data && <MonthReport report={data} />}
      <Files month={month} />
    </section>
  )
}

/** Files of the month, with each row's date in it; users and deposits of other months are in their lists. */
function Files({ month }: { month: string }) {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const from = beginOfDay(`${month}-01`, 'UTC')
  const until = new Date(Date.UTC(year, number, 1))
  const mayCall = useMayCall()
  const files = [
    [t('Purchases'), t('By creation, with unit price, wallet and confirmation'), downloadPurchases, { from, until }],
    [t('Deposits'), t('By first read, with state, hash, sender, price, purchase and refund'), exportDeposits, { from, until }],
    [t('Rewards'), t('By day, with corrections'), exportRewards, { month }],
    [t('Withdrawals'), t('By request'), exportWithdrawals, { from, until }],
    [t('Payouts'), t('By signing, with fees and transactions'), exportPayouts, { month }],
    [t('Ledger'), t('Every movement of XCR'), exportLedger, { month }],
    [t('Users'), t('All accounts with their nodes and balances now'), exportUsers, {}],
  ] as const
  if (!mayCall(exportUsers)) return null
  return (
    <Card className="mt-6">
      <h3 className="text-16 font-strong">{t('Files')}</h3>
      <ul className="mt-2 divide-y divide-ink-4">
        {files.map(([name, what, call, query]) => (
          <li key={call.path} className="flex flex-wrap items-center justify-between gap-2 py-2">
            <span className="min-w-0">
              <span className="block text-14 font-strong">{name}</span>
              <span className="block text-12 text-ink-10">{what}</span>
            </span>
            <span className="flex flex-wrap gap-2 max-sm:w-full" role="group" aria-label={name}>
              <ExportLinks call={call} query={query} label={t('Excel download')} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
