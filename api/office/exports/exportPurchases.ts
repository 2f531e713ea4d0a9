import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import type { PaymentStatus, PurchaseResult } from '#shared/contract/purchases.ts'
import { purchaseType, statusWord } from '#shared/history.ts'
import { formatNodeNumbers } from '#shared/formatNodeNumbers.ts'
import { readAllRows } from './readAllRows.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import { isNarrowed } from '../lists/isNarrowed.ts'
import { matchPurchases, type PurchaseMatch } from '../lists/matchRows.ts'
import type { Table } from './routeExport.ts'

interface ExportedRow {
  id: string
  email: string
  requested_quantity: number
  final_quantity: number | null
  amount: string
  received: string | null
  refunded: string | null
  node_numbers: number[] | null
  hash: Hash | null
  status: PaymentStatus
  result: PurchaseResult
  confirmed_against_chain: boolean
  admin_notes: string | null
  created_at: string
  unit_price: string
  wallet: string | null
  confirmed_at: string | null
}

const amountOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

const columns: readonly SpreadsheetColumn<ExportedRow>[] = [
  { header: 'Date (UTC)', width: 20, format: 'instant', cell: ({ created_at }) => new Date(created_at) },
  { header: 'User', width: 32, cell: ({ email }) => email },
  { header: 'Type', width: 16, cell: ({ amount }) => purchaseType(BigInt(amount)) },
  { header: 'Requested nodes', width: 16, cell: ({ requested_quantity }) => requested_quantity },
  { header: 'Allocated nodes', width: 16, cell: ({ final_quantity }) => final_quantity },
  { header: 'Amount (USDT)', width: 26, cell: ({ amount }) => BigInt(amount) },
  { header: 'Received (USDT)', width: 26, cell: ({ received }) => amountOf(received) },
  { header: 'Refunded (USDT)', width: 26, cell: ({ refunded }) => (refunded === null ? null : -BigInt(refunded)) },
  { header: 'Node numbers', width: 24, cell: ({ node_numbers }) => node_numbers && formatNodeNumbers(node_numbers) },
  { header: 'Tx hash', width: 68, cell: ({ hash }) => hash },
  { header: 'Status', width: 14, cell: ({ status }) => statusWord(status) },
  {
    header: 'Result',
    width: 20,
    // An administrator has overruled the chain, which had no such payment.
    cell: ({ result, confirmed_against_chain }) => (confirmed_against_chain ? 'against_the_chain' : result),
  },
  { header: 'Notes', width: 40, cell: ({ admin_notes }) => admin_notes },
  { header: 'Purchase ID', width: 38, cell: ({ id }) => id },
  { header: 'Unit price (USDT)', width: 20, cell: ({ amount, unit_price }) => (amount === '0' ? null : BigInt(unit_price)) },
  { header: 'Wallet', width: 46, cell: ({ wallet }) => wallet },
  {
    header: 'Confirmed (UTC)',
    width: 20,
    format: 'instant',
    cell: ({ confirmed_at }) => (confirmed_at === null ? null : new Date(confirmed_at)),
  },
]

const sumOfDeposits = (what: 'amount' | 'refunded_amount', condition: string): string =>
  `(select sum(${what}) from deposits where purchase_id = r.id and block_number is not null and ${condition})`

/** All purchases that match. Refunded amounts are negative. */
export const exportPurchases = (
  em: EntityManager,
  { sort, ...filter }: PurchaseMatch & { sort?: RowSort | undefined },
): Table<ExportedRow> => ({
  name: 'Purchases',
  columns,
  rows: readAllRows<ExportedRow>(em, {
    list: 'purchases',
    email: filter.email,
    sort,
    matching: isNarrowed({ ...filter, sort }) ? (reader) => matchPurchases(reader, filter).select('r.id') : undefined,
    columns: `r.id, users.email, r.requested_quantity, r.final_quantity, r.amount, r.status, r.result, r.confirmed_against_chain, r.admin_notes, r.created_at,
        r.unit_price, r.wallet, r.confirmed_at,
        ${sumOfDeposits('amount', `state not in ('refunded', 'ignored')`)} as received,
        ${sumOfDeposits('refunded_amount', `state = 'refunded'`)} as refunded,
        (select array_agg(number order by number) from nodes where purchase_id = r.id) as node_numbers,
        coalesce(r.transaction_hash, (
          select transaction_hash from deposits where purchase_id = r.id and block_number is not null and sender = r.wallet
            and state not in ('refunded', 'ignored') order by block_number desc, id limit 1
        ), r.claimed_hash) as hash`,
  }),
})
