import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readSpreadsheet } from '#api/testing/readSpreadsheet.ts'
import { type Cell, type SpreadsheetColumn, writeSpreadsheet } from './writeSpreadsheet.ts'

const columns = (count: number): SpreadsheetColumn<Cell[]>[] =>
  Array.from({ length: count }, (_, index) => ({ header: `Column ${index}`, width: 10, cell: (row) => row[index]! }))

async function* each<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}

const write = async (rows: Cell[][]): Promise<Cell[][]> => {
  const file = await buffer(writeSpreadsheet({ name: 'Test', columns: columns(rows[0]?.length ?? 1), rows: each(rows) }))
  return readSpreadsheet(file).slice(1)
}

test('texts, numbers and empty cells are preserved', async () => {
  expect(await write([['Größe & <b>"1"</b> 한국어 💰', 12, null, '0.000000000000000001']])).toEqual([
    ['Größe & <b>"1"</b> 한국어 💰', 12, null, '0.000000000000000001'],
  ])
})

test('an instant becomes a date with time in UTC', async () => {
  const at = new Date('2027-03-02T09:00:00.123Z')
  const [column] = columns(1)
  const file = await buffer(
    writeSpreadsheet({ name: 'Test', columns: [{ ...column!, format: 'instant' }], rows: each([[at] as Cell[]]) }),
  )
  expect(readSpreadsheet(file)).toEqual([['Column 0'], [at]])
})

test('text that begins like a formula is prefixed, and a minus inside text is kept', async () => {
  const texts = [
    '=HYPERLINK("http://x","y")',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\n=1',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    'a=b-c+d@e',
    "'x",
  ]
  expect(await write(texts.map((text) => [text]))).toEqual(texts.map((text) => [/^['a]/.test(text) ? text : `'${text}`]))
})

test('control characters, lone surrogates and oversized text do not break the file', async () => {
  const [[control, half, long]] = (await write([['a\u0001b\u0000', 'x\ud800y', 'z'.repeat(40_000)]])) as [
    [string, string, string],
  ]
  expect(control).toContain('a')
  expect(half).toMatch(/^x.y$/u)
  expect(long).toHaveLength(32_767)
})

test('a spreadsheet without rows has its headings', async () => {
  expect(readSpreadsheet(await buffer(writeSpreadsheet({ name: 'Test', columns: columns(2), rows: each([]) })))).toEqual([
    ['Column 0', 'Column 1'],
  ])
})

test("rows are read at the consumer's speed, and closed when it stops", async () => {
  let read = 0
  const closed = Promise.withResolvers<void>()
  async function* endless(): AsyncGenerator<Cell[]> {
    try {
      for (;;) yield [`${(read += 1)} ${crypto.randomUUID()}`]
    } finally {
      closed.resolve()
    }
  }
  const file = writeSpreadsheet({ name: 'Test', columns: columns(1), rows: endless() })
  expect(read).toBe(0)
  const bytes = file[Symbol.asyncIterator]()
  // Reads the parts before the rows.
  while (read === 0) await bytes.next()
  // Without further reads, pending work completes.
  for (let before = -1; before !== read; ) {
    before = read
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(read).toBeLessThan(20_000)
  file.destroy()
  await closed.promise
})

test('an amount becomes exact text, and a negative one has no prefix', async () => {
  expect(await write([[1_000_000_000_000_000_000_000_000_000_000_000_001n, -3_000n * 10n ** 18n]])).toEqual([
    ['1000000000000000000.000000000000000001', '-3000'],
  ])
})

test('rows that exceed a sheet continue on the next, with the same headings', async () => {
  const rows = Array.from({ length: 7 }, (_, index) => [index] as Cell[])
  const file = await buffer(writeSpreadsheet({ name: 'Test', columns: columns(1), rows: each(rows), rowsPerSheet: 4 }))
  expect([1, 2, 3].map((sheet) => readSpreadsheet(file, { sheet }))).toEqual([
    [['Column 0'], [0], [1], [2]],
    [['Column 0'], [3], [4], [5]],
    [['Column 0'], [6]],
  ])
})

test('an error while reading rows fails the stream instead of truncating the file', async () => {
  async function* broken(): AsyncGenerator<Cell[]> {
    yield ['first']
    throw new Error('the database is gone')
  }
  await expect(buffer(writeSpreadsheet({ name: 'Test', columns: columns(1), rows: broken() }))).rejects.toThrow(
    'the database is gone',
  )
})
