import { Readable } from 'node:stream'
import { formatAmount } from '#shared/amount.ts'
import { DAY } from '#shared/dates.ts'
import { escapeCell } from './escapeCell.ts'
import { keepHeapSmall } from './keepHeapSmall.ts'
import { neutralize } from './neutralize.ts'
import { BOLD, INSTANT, RIGHT, spreadsheetParts } from './spreadsheetParts.ts'
import { type ZipEntry, zipStream } from './zipStream.ts'

/** A bigint is an amount in a token's smallest unit and is written as text, because spreadsheet numbers have 15 digits. */
export type Cell = string | number | bigint | Date | null

export interface SpreadsheetColumn<Row> {
  header: string
  /** In characters. */
  width: number
  /** Shows dates with time, in UTC. */
  format?: 'instant'
  cell(row: Row): Cell
}

export interface Spreadsheet<Row> {
  /** The sheet's name, at most 28 characters; further sheets get a number appended. */
  name: string
  columns: readonly SpreadsheetColumn<Row>[]
  rows: AsyncIterable<Row>
  /** Rows per sheet including the headings, by default the format's maximum. Further rows continue on another sheet. */
  rowsPerSheet?: number
}

export const SPREADSHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const SHEET_ROWS = 1_048_576
/** Keeps a sheet below the 4 GB limit of a zip entry. */
const SHEET_CHARACTERS = 1_000_000_000
/** Characters written at a time, which takes about a millisecond. */
const CHUNK_SIZE = 65_536

/**
 * Streams an .xlsx file while its rows are read, at the consumer's speed and with at most some hundred rows in memory. Reading
 * begins with the first requested byte; `rows` is closed when the stream ends for any reason.
 */
export function writeSpreadsheet<Row>(spreadsheet: Spreadsheet<Row>): Readable {
  return Readable.from(zipStream(writeParts(spreadsheet)), { objectMode: false, highWaterMark: 65_536 })
}

async function* writeParts<Row>({ name, columns, rows, rowsPerSheet }: Spreadsheet<Row>): AsyncGenerator<ZipEntry> {
  yield { name: 'xl/styles.xml', content: [spreadsheetParts.styles] }
  const reader = rows[Symbol.asyncIterator]()
  const letHeapGrow = keepHeapSmall()
  try {
    const state = { next: undefined as IteratorResult<Row> | undefined }
    let sheets = 0
    do {
      sheets += 1
      yield {
        name: `xl/worksheets/sheet${sheets}.xml`,
        content: writeSheet(columns, { reader, state, limit: rowsPerSheet ?? SHEET_ROWS }),
      }
    } while (!state.next?.done)
    const names = Array.from({ length: sheets }, (_, index) => (index === 0 ? name : `${name} ${index + 1}`))
    yield { name: 'xl/workbook.xml', content: [spreadsheetParts.workbook(names)] }
    yield { name: 'xl/_rels/workbook.xml.rels', content: [spreadsheetParts.workbookRelations(sheets)] }
    yield { name: '_rels/.rels', content: [spreadsheetParts.relations] }
    yield { name: '[Content_Types].xml', content: [spreadsheetParts.contentTypes(sheets)] }
  } finally {
    letHeapGrow()
    await reader.return?.(undefined)
  }
}

interface SheetRows<Row> {
  reader: AsyncIterator<Row>
  /** The next row: undefined before the first read; kept if it did not fit on the sheet. */
  state: { next: IteratorResult<Row> | undefined }
  limit: number
}

async function* writeSheet<Row>(
  columns: readonly SpreadsheetColumn<Row>[],
  { reader, state, limit }: SheetRows<Row>,
): AsyncGenerator<string> {
  const letters = columns.map((_, index) => lettersOf(index))
  yield spreadsheetParts.sheetBegin(columns.map(({ width }) => width)) + headings(columns, letters)
  let [text, written, number] = ['', 0, 1]
  state.next ??= await reader.next()
  while (!state.next.done && number < limit && written < SHEET_CHARACTERS) {
    number += 1
    text += writeRow(state.next.value, number, columns, letters)
    if (text.length >= CHUNK_SIZE) {
      written += text.length
      yield text
      text = ''
    }
    state.next = await reader.next()
  }
  yield `${text}${spreadsheetParts.sheetEnd}`
}

function headings(columns: readonly { header: string }[], letters: readonly string[]): string {
  return `<row r="1">${columns.map(({ header }, index) => inline(`${letters[index]}1`, BOLD, header)).join('')}</row>`
}

function writeRow<Row>(row: Row, number: number, columns: readonly SpreadsheetColumn<Row>[], letters: readonly string[]): string {
  let cells = ''
  for (let index = 0; index < columns.length; index += 1) cells += writeCell(letters[index]! + number, columns[index]!.cell(row))
  return `<row r="${number}">${cells}</row>`
}

function writeCell(place: string, value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'string') return inline(place, '', safe(value))
  // Formatted amounts are safe, even with a leading minus.
  if (typeof value === 'bigint') return `<c r="${place}"${RIGHT} t="inlineStr"><is><t>${formatAmount(value)}</t></is></c>`
  if (typeof value === 'number') return Number.isFinite(value) ? `<c r="${place}"><v>${value}</v></c>` : ''
  // Days since the end of 1899, including a nonexistent 29 February 1900.
  return `<c r="${place}"${INSTANT}><v>${value.getTime() / DAY + 25_569}</v></c>`
}

const inline = (place: string, style: string, text: string): string =>
  `<c r="${place}"${style} t="inlineStr"><is>${escapeCell(text)}</is></c>`

/** The maximum length of a cell's text; with a longer one the file does not open. */
const MAX_TEXT_LENGTH = 32_767

/** Harmless, and short enough for a cell. */
const safe = (text: string): string => neutralize(text).slice(0, MAX_TEXT_LENGTH)

/** 0 is A, 26 is AA. */
function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last
}
