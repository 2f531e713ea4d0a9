import type { EntityManager } from '@mikro-orm/postgresql'
import type { Readable } from 'node:stream'
import type { TaxFormat } from '#shared/contract/statement.ts'
import { writeCsv } from '#api/platform/spreadsheets/writeCsv.ts'
import type { Cell } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { readStatement, type StatementRow } from './readStatement.ts'

interface Column {
  header: string
  cell: (row: StatementRow) => Cell
}

const isPurchase = ({ type }: StatementRow) => type === 'Node Purchase'
const isReward = ({ type }: StatementRow) => type === 'XCR Distribution'
const isWithdrawal = ({ type }: StatementRow) => type === 'XCR Withdrawal'
const received = (row: StatementRow) => (isReward(row) ? row.amount : null)
const sent = (row: StatementRow) => (isPurchase(row) ? row.paid : isWithdrawal(row) ? row.amount - (row.fee ?? 0n) : null)
const typeOf = (row: StatementRow) => (isPurchase(row) ? 'purchase' : isReward(row) ? 'reward' : 'withdrawal')

/** "2026-11-20 09:00:00 UTC". */
const timeOf = ({ at }: StatementRow): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

const columns: Record<TaxFormat, readonly Column[]> = {
  generic: [
    { header: 'Date (UTC)', cell: ({ at }) => at },
    { header: 'Type', cell: typeOf },
    { header: 'Quantity', cell: (row) => received(row) ?? sent(row) },
    { header: 'Asset', cell: ({ token }) => token },
    { header: 'Fee', cell: ({ fee }) => fee },
    { header: 'Fee asset', cell: ({ fee, token }) => (fee === null ? null : token) },
    { header: 'Nodes', cell: ({ nodes }) => nodes },
    { header: 'Value at receipt', cell: () => null },
    { header: 'ID', cell: ({ id }) => id },
    { header: 'Tx hash', cell: ({ hash }) => hash },
  ],
  // The universal format of https://support.koinly.io: amounts as decimals, an empty worth if there is none.
  koinly: [
    { header: 'Date', cell: timeOf },
    { header: 'Sent Amount', cell: sent },
    { header: 'Sent Currency', cell: (row) => (sent(row) === null ? null : row.token) },
    { header: 'Received Amount', cell: received },
    { header: 'Received Currency', cell: (row) => (received(row) === null ? null : row.token) },
    { header: 'Fee Amount', cell: ({ fee }) => fee },
    { header: 'Fee Currency', cell: ({ fee, token }) => (fee === null ? null : token) },
    { header: 'Net Worth Amount', cell: () => null },
    { header: 'Net Worth Currency', cell: () => null },
    { header: 'Label', cell: (row) => (isReward(row) ? 'reward' : null) },
    { header: 'Description', cell: describe },
    { header: 'TxHash', cell: ({ hash }) => hash },
  ],
}

function describe({ type, nodes, id }: StatementRow): string {
  return nodes === null ? `${type} ${id}` : `${type} of ${nodes} ${nodes === 1 ? 'node' : 'nodes'} ${id}`
}

/** What has happened for good and moved a token; bonus nodes, and purchases that are owed their payment, move none. */
async function* finalRows(em: EntityManager, userId: string): AsyncGenerator<StatementRow> {
  for await (const row of readStatement(em, userId))
    if (['confirmed', 'completed'].includes(row.status) && row.paid !== 0n) yield row
}

/** An account's final movements for tax tools, newest first. */
export const writeTaxReport = (em: EntityManager, { userId, format }: { userId: string; format: TaxFormat }): Readable =>
  writeCsv({ columns: columns[format].map((column) => ({ ...column, width: 0 })), rows: finalRows(em, userId), hasMark: false })
