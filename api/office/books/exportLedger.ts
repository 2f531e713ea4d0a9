import type { EntityManager } from '@mikro-orm/postgresql'
import { streamQuery } from '#api/platform/db/streamQuery.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { query } from '#api/entities/tables.ts'
import type { Rows } from '../exports/Rows.ts'
import type { Table } from '../exports/routeExport.ts'
import { monthRange } from './monthRange.ts'

function readEntries(em: EntityManager, month: string | undefined) {
  const entries = query(em)
    .selectFrom('ledger_entries as e')
    .leftJoin('users as f', 'f.id', 'e.fromAccount')
    .leftJoin('users as t', 't.id', 'e.toAccount')
    .select(['e.date as date', 'e.cause as cause', 'e.amount as amount', 'e.recordedAt as recordedAt'])
    .select(['e.fromAccount as fromAccount', 'f.email as fromEmail', 'e.toAccount as toAccount', 't.email as toEmail'])
    .orderBy('e.date')
    .orderBy('e.cause')
  if (!month) return entries
  const { begin, end } = monthRange(month)
  return entries.where('e.date', '>=', begin).where('e.date', '<', end)
}

const houses = new Map<string, string>(Object.entries(houseAccounts).map(([name, id]) => [id, name]))
/** An account's owner, or the name of a house account. */
const nameOf = (email: string | null, account: string): string => email ?? houses.get(account) ?? account

const columns: readonly SpreadsheetColumn<Rows<typeof readEntries>>[] = [
  { header: 'Date (UTC)', width: 12, cell: ({ date }) => date },
  { header: 'Cause', width: 70, cell: ({ cause }) => cause },
  { header: 'From', width: 32, cell: ({ fromEmail, fromAccount }) => nameOf(fromEmail, fromAccount) },
  { header: 'To', width: 32, cell: ({ toEmail, toAccount }) => nameOf(toEmail, toAccount) },
  { header: 'Amount (XCR)', width: 26, cell: ({ amount }) => amount },
  { header: 'Recorded (UTC)', width: 20, format: 'instant', cell: ({ recordedAt }) => recordedAt },
  { header: 'From account', width: 38, cell: ({ fromAccount }) => fromAccount },
  { header: 'To account', width: 38, cell: ({ toAccount }) => toAccount },
]

/** Every movement of XCR, or those of a month, oldest first. */
export const exportLedger = (em: EntityManager, { month }: { month?: string | undefined }): Table<Rows<typeof readEntries>> => ({
  name: 'Ledger',
  columns,
  rows: streamQuery(em, (reader) => readEntries(reader, month)),
})
