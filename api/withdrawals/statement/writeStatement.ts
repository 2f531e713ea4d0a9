import type { EntityManager } from '@mikro-orm/postgresql'
import type { Readable } from 'node:stream'
import { formatAmount } from '#shared/amount.ts'
import { statusWord } from '#shared/history.ts'
import { type SpreadsheetColumn, writeSpreadsheet } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { readStatement, type StatementRow } from './readStatement.ts'

const columns: readonly SpreadsheetColumn<StatementRow>[] = [
  { header: 'Date (UTC)', width: 20, format: 'instant', cell: ({ at }) => at },
  { header: 'Type', width: 16, cell: ({ type }) => type },
  { header: 'Transaction ID', width: 38, cell: ({ id }) => id },
  { header: 'Quantity (nodes)', width: 16, cell: ({ nodes }) => nodes },
  { header: 'Amount', width: 26, cell: ({ amount }) => formatAmount(amount) },
  { header: 'Token', width: 8, cell: ({ token }) => token },
  { header: 'Fee', width: 12, cell: ({ fee }) => (fee === null ? null : formatAmount(fee)) },
  { header: 'Status', width: 14, cell: ({ status }) => statusWord(status) },
  { header: 'Tx hash', width: 68, cell: ({ hash }) => hash },
  { header: 'XCR balance', width: 26, cell: ({ balance }) => (typeof balance === 'bigint' ? formatAmount(balance) : balance) },
]

/** Writes an account's complete history as a spreadsheet. */
export const writeStatement = (em: EntityManager, userId: string): Readable =>
  writeSpreadsheet({ name: 'Statement', columns, rows: readStatement(em, userId) })
