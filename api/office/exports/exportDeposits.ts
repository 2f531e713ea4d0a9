import type { EntityManager } from '@mikro-orm/postgresql'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import { streamQuery } from '#api/platform/db/streamQuery.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { type DepositMatch, matchDeposits } from '../lists/matchRows.ts'
import { depositOrders } from '../lists/listDeposits.ts'
import type { Rows } from './Rows.ts'
import type { Table } from './routeExport.ts'

function readDeposits(em: EntityManager, { sort = 'newest', ...filter }: DepositMatch & { sort?: RowSort | undefined }) {
  const { by, direction } = depositOrders[sort]
  return matchDeposits(em, filter)
    .leftJoin('users as u', 'u.id', 'r.user')
    .leftJoin('purchases as p', 'p.id', 'r.purchase')
    .select(['r.id as id', 'r.firstSeenAt as seenAt', 'r.blockTime as blockTime', 'r.state as state', 'r.reviewReason as reason'])
    .select([
      'u.email as email',
      'r.sender as sender',
      'r.recipient as recipient',
      'r.amount as amount',
      'r.transactionHash as hash',
    ])
    .select(['p.id as purchaseId', 'p.unitPrice as unitPrice', 'p.finalQuantity as nodes', 'r.closedAt as closedAt'])
    .select(['r.refundedAmount as refunded', 'r.refundHash as refundHash', 'r.notes as notes'])
    .orderBy(`r.${by}`, direction)
    .orderBy('r.id', direction)
}

const columns: readonly SpreadsheetColumn<Rows<typeof readDeposits>>[] = [
  { header: 'First seen (UTC)', width: 20, format: 'instant', cell: ({ seenAt }) => seenAt },
  { header: 'Block time (UTC)', width: 20, format: 'instant', cell: ({ blockTime }) => blockTime },
  { header: 'State', width: 12, cell: ({ state }) => state },
  { header: 'Reason', width: 20, cell: ({ reason }) => reason },
  { header: 'User', width: 32, cell: ({ email }) => email },
  { header: 'Sender', width: 46, cell: ({ sender }) => sender },
  { header: 'Recipient', width: 46, cell: ({ recipient }) => recipient },
  { header: 'Amount (USDT)', width: 26, cell: ({ amount }) => amount },
  { header: 'Tx hash', width: 68, cell: ({ hash }) => hash },
  { header: 'Purchase ID', width: 38, cell: ({ purchaseId }) => purchaseId },
  { header: 'Unit price (USDT)', width: 20, cell: ({ unitPrice }) => unitPrice },
  { header: 'Nodes', width: 10, cell: ({ nodes }) => nodes },
  { header: 'Closed (UTC)', width: 20, format: 'instant', cell: ({ closedAt }) => closedAt },
  { header: 'Refunded (USDT)', width: 26, cell: ({ refunded }) => (refunded === null ? null : -refunded) },
  { header: 'Refund tx hash', width: 68, cell: ({ refundHash }) => refundHash },
  { header: 'Notes', width: 40, cell: ({ notes }) => notes },
  { header: 'Deposit ID', width: 38, cell: ({ id }) => id },
]

/** All deposits that match, in every state. Refunded amounts are negative. */
export const exportDeposits = (
  em: EntityManager,
  filter: Parameters<typeof readDeposits>[1],
): Table<Rows<typeof readDeposits>> => ({
  name: 'Deposits',
  columns,
  rows: streamQuery(em, (reader) => readDeposits(reader, filter)),
})
