import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { writeCsv } from './writeCsv.ts'
import type { Cell, SpreadsheetColumn } from './writeSpreadsheet.ts'

const columns = (count: number): SpreadsheetColumn<Cell[]>[] =>
  Array.from({ length: count }, (_, index) => ({ header: `Column ${index}`, width: 10, cell: (row) => row[index]! }))

async function* each<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}

const write = async (rows: Cell[][]): Promise<string> =>
  (await text(writeCsv({ columns: columns(rows[0]?.length ?? 1), rows: each(rows) }))).split('\r\n').slice(1).join('|')

test('begins with a byte order mark and the headings', async () => {
  const file = writeCsv({ columns: columns(2), rows: each([]) })
  expect(Buffer.concat(await file.toArray()).toString()).toBe('\uFEFFColumn 0,Column 1\r\n')
})

test('quotes what contains separators, and writes amounts, times and numbers exactly', async () => {
  expect(await write([['a,b', 'say "x"', 'two\nlines', null]])).toBe('"a,b","say ""x""","two\nlines",|')
  expect(await write([[3n * 10n ** 18n + 1n, -5n * 10n ** 17n, new Date('2026-11-20T09:00:00Z'), 7]])).toBe(
    '3.000000000000000001,-0.5,2026-11-20T09:00:00.000Z,7|',
  )
})

test.for(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '＝1'])('%s is no formula', async (cell) => {
  expect(await write([[cell]])).toBe(`'${cell}|`)
})

test('is written while its rows are read, in bounded pieces', async () => {
  let read = 0
  async function* rows(): AsyncGenerator<Cell[]> {
    for (; read < 200_000; read += 1) yield [`row ${read}`]
  }
  const file = writeCsv({ columns: columns(1), rows: rows() })
  const bytes = file[Symbol.asyncIterator]()
  await bytes.next()
  expect(read).toBeLessThan(50_000)
  file.destroy()
})
