import { Readable } from 'node:stream'
import { formatAmount } from '#shared/amount.ts'
import { DAY } from '#shared/dates.ts'
import { escapeCell } from './escapeCell.ts'
import { keepHeapSmall } from './keepHeapSmall.ts'
import { BOLD, INSTANT, RIGHT, spreadsheetParts } from './spreadsheetParts.ts'
import { type ZipEntry, zipStream } from './zipStream.ts'

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
  /** Of its sheet, 28 characters at most: of several, the later ones are numbered. */
  name: string
  columns: readonly SpreadsheetColumn<Row>[]
  rows: AsyncIterable<Row>
  /** Headings included; as many as a sheet can hold unless said otherwise. What does not fit goes to another sheet. */
  rowsPerSheet?: number
}

export const SPREADSHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const SHEET_ROWS = 1_048_576
/** A part of the file holds 4 GB. */
const SHEET_CHARACTERS = 1_000_000_000
/** Of text, written at a time: a millisecond of work or so. */
const PIECE = 65_536

/**
 * Writes an .xlsx while its rows are read: as fast as somebody takes the bytes, and never more of it in memory than some hundred rows.
 * Reading begins with the first byte that is asked for; `rows` is closed when the stream ends, however it ends.
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
  /** The row that is next: none was asked for yet, or it did not fit, or there are no more. */
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
    if (text.length >= PIECE) {
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
  if (typeof value === 'string') return inline(place, '', neutralise(value))
  // A minus before digits of ours makes no formula.
  if (typeof value === 'bigint') return `<c r="${place}"${RIGHT} t="inlineStr"><is><t>${formatAmount(value)}</t></is></c>`
  if (typeof value === 'number') return Number.isFinite(value) ? `<c r="${place}"><v>${value}</v></c>` : ''
  // Days since the end of 1899, which counts a 29 February 1900.
  return `<c r="${place}"${INSTANT}><v>${value.getTime() / DAY + 25_569}</v></c>`
}

const inline = (place: string, style: string, text: string): string =>
  `<c r="${place}"${style} t="inlineStr"><is>${escapeCell(text)}</is></c>`

/** More than this a cell cannot hold, and the whole file would not open. */
const LONGEST_TEXT = 32_767

/**
 * Makes sure that text stays text wherever the file ends up: what begins like a formula, saved as CSV and opened again, would be one; in
 * Korean and Japanese also where the sign is of full width.
 */
function neutralise(text: string): string {
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return safe.length > LONGEST_TEXT ? safe.slice(0, LONGEST_TEXT) : safe
}

/** 0 is A, 26 is AA. */
function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last
}
