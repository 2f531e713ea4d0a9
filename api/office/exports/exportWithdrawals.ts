import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { statusWord } from '#shared/history.ts'
import { readAllRows } from './readAllRows.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import { isNarrowed } from '../lists/isNarrowed.ts'
import { matchWithdrawals, type WithdrawalMatch } from '../lists/matchRows.ts'
import type { Table } from './routeExport.ts'

interface ExportedRow {
  id: string
  email: string
  amount: string
  fee: string
  to_address: Address
  status: WithdrawalStatus
  transaction_hash: Hash | null
  created_at: string
  completed_at: string | null
  refunded_at: string | null
  admin_notes: string | null
}

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text))

const columns: readonly SpreadsheetColumn<ExportedRow>[] = [
  { header: 'Requested (UTC)', width: 20, format: 'instant', cell: ({ created_at }) => dateOf(created_at) },
  { header: 'User', width: 32, cell: ({ email }) => email },
  { header: 'Amount (XCR)', width: 26, cell: ({ amount }) => BigInt(amount) },
  { header: 'Fee (XCR)', width: 12, cell: ({ fee, status }) => (status === 'failed' ? null : BigInt(fee)) },
  { header: 'Refunded (XCR)', width: 26, cell: ({ amount, status }) => (status === 'failed' ? -BigInt(amount) : null) },
  { header: 'Wallet', width: 46, cell: ({ to_address }) => to_address },
  { header: 'Status', width: 14, cell: ({ status }) => statusWord(status) },
  { header: 'Completed (UTC)', width: 20, format: 'instant', cell: ({ completed_at }) => dateOf(completed_at) },
  { header: 'Refunded (UTC)', width: 20, format: 'instant', cell: ({ refunded_at }) => dateOf(refunded_at) },
  { header: 'Tx hash', width: 68, cell: ({ transaction_hash }) => transaction_hash },
  { header: 'Notes', width: 40, cell: ({ admin_notes }) => admin_notes },
  { header: 'Withdrawal ID', width: 38, cell: ({ id }) => id },
]

/** All withdrawals that match. Refunded amounts are negative, and their fee is none. */
export const exportWithdrawals = (
  em: EntityManager,
  { sort, ...filter }: WithdrawalMatch & { sort?: RowSort | undefined },
): Table<ExportedRow> => ({
  name: 'Withdrawals',
  columns,
  rows: readAllRows<ExportedRow>(em, {
    list: 'withdrawals',
    email: filter.email,
    sort,
    matching: isNarrowed({ ...filter, sort }) ? (reader) => matchWithdrawals(reader, filter).select('r.id') : undefined,
    columns: `r.id, users.email, r.amount, r.fee, r.to_address, r.status, r.transaction_hash, r.created_at, r.completed_at,
        r.refunded_at, r.admin_notes`,
  }),
})
