import type { BonusRow } from '#shared/contract/admin/bonus.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { type Column, DataTable } from '../lists/DataTable.tsx'

const figure = (name: string, key: 'paidNodes' | 'bonusEligible' | 'bonusReceived' | 'bonusPending'): Column<BonusRow> => ({
  name,
  isRight: true,
  className: 'figures',
  cell: (row) => formatCount(row[key]),
})

const columns: readonly Column<BonusRow>[] = [
  {
    name: 'User',
    isWide: true,
    className: 'md:max-w-60',
    cell: ({ userName, userEmail }) => (
      <span title={userEmail} className="block min-w-0">
        <span className="block truncate font-strong">{userName}</span>
        <span className="block truncate text-12 text-ink-9">{userEmail}</span>
      </span>
    ),
  },
  figure('Paid nodes', 'paidNodes'),
  figure('Bonus eligible', 'bonusEligible'),
  figure('Received', 'bonusReceived'),
  figure('Pending', 'bonusPending'),
  { name: 'Status', cell: (row) => <BonusStatus row={row} /> },
]

/** The bonuses of one page of users. */
export const BonusTable = ({ rows, isBusy }: { rows: readonly BonusRow[]; isBusy: boolean }) => (
  <DataTable label="Bonus status" columns={columns} rows={rows} keyOf={({ userId }) => userId} isBusy={isBusy} />
)

function BonusStatus({ row: { bonusPending, bonusEligible } }: { row: BonusRow }) {
  if (bonusPending > 0) return <StatusWord tone="waiting">Pending</StatusWord>
  if (bonusEligible > 0) return <StatusWord tone="done">Done</StatusWord>
  return <StatusWord tone="neutral">Not applicable</StatusWord>
}
