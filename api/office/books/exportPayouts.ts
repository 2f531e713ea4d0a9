import type { EntityManager } from '@mikro-orm/postgresql'
import type { PayoutState } from '#api/entities/Payout.ts'
import { midnightOf, monthRange } from '#shared/dates.ts'
import { streamQuery } from '#api/platform/db/streamQuery.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { query } from '#api/entities/tables.ts'
import type { Rows } from '../exports/Rows.ts'
import type { Table } from '../exports/routeExport.ts'

function readPayouts(em: EntityManager, month: string | undefined) {
  const payouts = query(em)
    .selectFrom('payouts as p')
    .leftJoin('withdrawals as w', 'w.id', 'p.withdrawal')
    .leftJoin('users as u', 'u.id', 'w.user')
    .select(['p.signedAt as signedAt', 'p.settledAt as settledAt', 'p.state as state', 'p.wallet as wallet', 'p.nonce as nonce'])
    .select(['u.email as email', 'p.recipient as recipient', 'p.amount as amount', 'p.finalHash as hash', 'p.cause as cause'])
    .select(['w.id as withdrawalId', 'w.amount as gross', 'w.fee as fee', 'p.id as id'])
    .orderBy('p.signedAt')
    .orderBy('p.id')
  if (!month) return payouts
  const { begin, end } = monthRange(month)
  return payouts.where('p.signedAt', '>=', midnightOf(begin)).where('p.signedAt', '<', midnightOf(end))
}

/** An amount that counts: the transaction of another state has moved nothing, so that it would falsify the sums. */
const ifSent = (state: PayoutState, amount: bigint | null) => (state === 'paid' || state === 'sent' ? amount : null)

const columns: readonly SpreadsheetColumn<Rows<typeof readPayouts>>[] = [
  { header: 'Signed (UTC)', width: 20, format: 'instant', cell: ({ signedAt }) => signedAt },
  { header: 'Final (UTC)', width: 20, format: 'instant', cell: ({ settledAt }) => settledAt },
  { header: 'State', width: 12, cell: ({ state }) => state },
  { header: 'User', width: 32, cell: ({ email }) => email },
  { header: 'Recipient', width: 46, cell: ({ recipient }) => recipient },
  { header: 'Sent (XCR)', width: 26, cell: ({ state, amount }) => ifSent(state, amount) },
  { header: 'Withdrawn (XCR)', width: 26, cell: ({ state, gross }) => ifSent(state, gross) },
  { header: 'Fee (XCR)', width: 12, cell: ({ state, fee }) => ifSent(state, fee) },
  { header: 'Tx hash', width: 68, cell: ({ hash }) => hash },
  { header: 'Payout wallet', width: 46, cell: ({ wallet }) => wallet },
  { header: 'Nonce', width: 10, cell: ({ nonce }) => nonce },
  { header: 'Cause', width: 50, cell: ({ cause }) => cause },
  { header: 'Withdrawal ID', width: 38, cell: ({ withdrawalId }) => withdrawalId },
  { header: 'Payout ID', width: 38, cell: ({ id }) => id },
]

/** Every transfer that a payout wallet signed, or those of a month, oldest first: withdrawals and sweeps of fees. */
export const exportPayouts = (em: EntityManager, { month }: { month?: string | undefined }): Table<Rows<typeof readPayouts>> => ({
  name: 'Payouts',
  columns,
  rows: streamQuery(em, (reader) => readPayouts(reader, month)),
})
