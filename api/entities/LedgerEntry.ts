import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '#api/platform/db/columns.ts'

/**
 * One movement of XCR from one account to another. Only ever added to: the database refuses anything else, on every partition.
 *
 * Partitioned by month, of which the ORM knows nothing: the table is made by `Migration20261120100000_ledger.ts`, and described here
 * for reading.
 */
export const LedgerEntrySchema = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  properties: {
    /**
     * The cause's own date, never that of the insertion: unique per date is unique per cause then, which is all that PostgreSQL can
     * promise across partitions (money.md 21).
     */
    date: p.date().primary(),
    /** What it was for, such as `distribution:<date>:<user>`. One cause moves once. */
    cause: p.text().primary(),
    fromAccount: p.uuid(),
    toAccount: p.uuid(),
    amount: amountColumn(),
    /** Real time. */
    recordedAt: instantColumn(),
  },
  checks: [
    { name: 'ledger_entries_amount', expression: 'amount > 0' },
    { name: 'ledger_entries_moves', expression: 'from_account <> to_account' },
  ],
})

export class LedgerEntry extends LedgerEntrySchema.class {}
LedgerEntrySchema.setClass(LedgerEntry)
