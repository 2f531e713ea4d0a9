import type { BonusRow } from '#shared/contract/admin/bonus.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { PersonLink } from '../person/PersonLink.tsx'

const figure = (name: string, key: 'paidNodes' | 'bonusEligible' | 'bonusReceived' | 'bonusPending'): Column<BonusRow> => ({
  name,
  isRight: true,
  className: 'figures',
  cell: (row) => formatCount(row[key]),
})

const columns = (): readonly Column<BonusRow>[] => [
  {
    name: t('User'),
    isWide: true,
    className: 'md:max-w-60',
    cell: ({ userId, userName, userEmail }) => (
      <span title={userEmail} className="block min-w-0">
        <PersonLink id={userId} email={userName} />
        <span className="block truncate text-12 text-ink-9">{userEmail}</span>
      </span>
    ),
  },
  figure(t('Paid nodes'), 'paidNodes'),
  figure(t('Bonus eligible'), 'bonusEligible'),
  figure(t('Received'), 'bonusReceived'),
  figure(t('Pending'), 'bonusPending'),
  { name: t('Status'), cell: (row) => <BonusStatus row={row} /> },
]

/** The bonuses of one page of users. */
export const BonusTable = ({ rows, isBusy }: { rows: readonly BonusRow[]; isBusy: boolean }) => (
  <DataTable label={t('Bonus status')} columns={columns()} rows={rows} keyOf={({ userId }) => userId} isBusy={isBusy} />
)

function BonusStatus({ row: { bonusPending, bonusEligible } }: { row: BonusRow }) {
  if (bonusPending > 0) return <StatusWord tone="waiting">{t('Pending')}</StatusWord>
  if (bonusEligible > 0) return <StatusWord tone="done">{t('Done')}</StatusWord>
  return <StatusWord tone="neutral">{t('Not applicable')}</StatusWord>
}
