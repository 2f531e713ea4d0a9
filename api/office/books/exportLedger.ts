import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { monthRange } from '#shared/dates.ts'
import { streamInOrder } from '#api/platform/db/streamQuery.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { query } from '#api/entities/tables.ts'
import type { Rows } from '../exports/Rows.ts'
import type { Table } from '../exports/routeExport.ts'

/** Entries of archived months are read with the others. A month whose entries are only in a file has one row that names it. */
function readEntries(em: EntityManager, month: string | undefined) {
  const { begin, end } = month ? monthRange(month) : { begin: '0001-01-01', end: '9999-12-31' }
  const db = query(em)
  const dropped = db
    .selectFrom('archived_months as m')
    .select(({ ref }) => [
      'm.month as date',
      sql<string>`to_char(${ref('m.month')}, '"archived: ledger_entries_"YYYY_MM".csv.gz has "') || ${ref('m.entries')} || ' entries'`.as(
        'cause',
      ),
      sql<string>`${houseAccounts.rewards}::uuid`.as('payer'),
      sql<string>`${houseAccounts.rewards}::uuid`.as('payee'),
      sql<bigint>`0::numeric(78, 0)`.as('amount'),
      'm.archivedAt as recorded',
    ])
    .where(({ ref }) => sql<boolean>`to_regclass('archived_ledger_entries' || to_char(${ref('m.month')}, '_YYYY_MM')) is null`)
  const archived = db
    .selectFrom('archived_ledger_entries as o')
    .select(['o.date as date', 'o.cause as cause', 'o.fromAccount as payer', 'o.toAccount as payee'])
    .select(['o.amount as amount', 'o.recordedAt as recorded'])
  const entries = db
    .selectFrom('ledger_entries as l')
    .select(['l.date as date', 'l.cause as cause', 'l.fromAccount as payer', 'l.toAccount as payee'])
    .select(['l.amount as amount', 'l.recordedAt as recorded'])
  return (
    db
      .selectFrom(entries.unionAll(archived).unionAll(dropped).as('e'))
      .leftJoin('users as f', 'f.id', 'e.payer')
      .leftJoin('users as t', 't.id', 'e.payee')
      .select(['e.date as date', 'e.cause as cause', 'e.amount as amount', 'e.recorded as recordedAt'])
      .select(['e.payer as fromAccount', 'f.email as fromEmail', 'e.payee as toAccount', 't.email as toEmail'])
      // Outside: PostgreSQL merges the parts by their indexes only if they have no conditions of their own.
      .where('e.date', '>=', begin)
      .where('e.date', '<', end)
      .orderBy('e.date')
      .orderBy('e.cause')
  )
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
  rows: streamInOrder(em, (reader) => readEntries(reader, month)),
})
