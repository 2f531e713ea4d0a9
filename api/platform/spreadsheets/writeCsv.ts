import { Readable } from 'node:stream'
import { formatAmount } from '#shared/amount.ts'
import { neutralize } from './neutralize.ts'
import type { Cell, Spreadsheet } from './writeSpreadsheet.ts'

export const CSV_TYPE = 'text/csv; charset=utf-8'

/** Characters written at a time. */
const CHUNK_SIZE = 65_536

interface CsvFile<Row> extends Pick<Spreadsheet<Row>, 'columns' | 'rows'> {
  /** Without a byte order mark, for programs that take it for a part of the first heading. */
  hasMark?: boolean
}

/**
 * Streams rows as comma-separated values (RFC 4180), at the consumer's speed. It begins with a byte order mark, without which Excel reads
 * Korean as Latin. Times are ISO 8601 in UTC, amounts exact decimals.
 */
export const writeCsv = <Row>(file: CsvFile<Row>): Readable =>
  Readable.from(writeLines(file), { objectMode: false, highWaterMark: CHUNK_SIZE })

async function* writeLines<Row>({ columns, rows, hasMark = true }: CsvFile<Row>): AsyncGenerator<string> {
  let text = `${hasMark ? '\uFEFF' : ''}${columns.map(({ header }) => quote(header)).join(',')}\r\n`
  for await (const row of rows) {
    text += `${columns.map(({ cell }) => writeCell(cell(row))).join(',')}\r\n`
    if (text.length >= CHUNK_SIZE) {
      yield text
      text = ''
    }
  }
  yield text
}

function writeCell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'string') return quote(neutralize(value))
  // A formatted amount is safe, even with a leading minus.
  if (typeof value === 'bigint') return formatAmount(value)
  if (value instanceof Date) return value.toISOString()
  return Number.isFinite(value) ? String(value) : ''
}

const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
