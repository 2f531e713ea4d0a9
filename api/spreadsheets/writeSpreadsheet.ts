import { Readable } from 'node:stream'
import { formatAmount } from '#shared/amount.ts'

/** A bigint is an amount in a token's smallest unit, and becomes text: a spreadsheet's numbers have 15 digits. */
export type Cell = string | number | bigint | Date | null

export interface SpreadsheetColumn<Row> {
  header: string
  /** In characters. */
  width: number
  /** Its dates are shown with the time, in UTC. */
  format?: 'instant'
  cell(row: Row): Cell
}

export interface Spreadsheet<Row> {
  /** Of its only sheet, 31 characters at most. */
  name: string
  columns: readonly SpreadsheetColumn<Row>[]
  rows: AsyncIterable<Row>
}

export const SPREADSHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/**
 * Writes an .xlsx while its rows are read: as fast as somebody takes the bytes, and never more of it in memory than some hundred rows.
 * Reading begins with the first byte that is asked for; `rows` is closed when the stream ends, however it ends.
 */
export function writeSpreadsheet<Row>({ name, columns, rows }: Spreadsheet<Row>): Readable {
  return Readable.from(writeParts({ name, columns, rows }), { objectMode: false, highWaterMark: 65_536 })
}

async function* writeParts<Row>({ name, columns, rows }: Spreadsheet<Row>): AsyncGenerator<Uint8Array> {
  // Few processes ever write one.
  const { writeXlsxStream } = await import('hucre/xlsx')
  yield* writeXlsxStream(toCells(rows, columns), {
    name,
    columns: columns.map(({ header, width, format }) => ({ header, width, ...(format && { numFmt: formats[format] }) })),
    freezePane: { rows: 1 },
  })
}

const formats = { instant: 'yyyy-mm-dd hh:mm:ss' }

async function* toCells<Row>(
  rows: AsyncIterable<Row>,
  columns: readonly SpreadsheetColumn<Row>[],
): AsyncGenerator<(string | number | Date | null)[]> {
  for await (const row of rows) yield columns.map(({ cell }) => toCell(cell(row)))
}

function toCell(value: Cell): string | number | Date | null {
  // A minus before digits of ours makes no formula.
  if (typeof value === 'bigint') return formatAmount(value)
  return typeof value === 'string' ? neutralise(value) : value
}

/** More than this a cell cannot hold, and the whole file would not open. */
const LONGEST_TEXT = 32_767

/**
 * Makes sure that text stays text wherever the file ends up: what begins like a formula, saved as CSV and opened again, would be one.
 */
function neutralise(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return safe.length > LONGEST_TEXT ? safe.slice(0, LONGEST_TEXT) : safe
}
