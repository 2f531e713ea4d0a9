import { MikroORM } from '@mikro-orm/postgresql'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { formatAmount } from '#shared/amount.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { readAllRows } from '#api/office/exports/readAllRows.ts'
import { type Cell, type SpreadsheetColumn, writeSpreadsheet } from '#api/platform/spreadsheets/writeSpreadsheet.ts'

/**
 * Writes withdrawals of a database as a file of ten columns in one of the formats, and prints the measurements:
 * `node writeRows.ts <way> <url> <rows>`.
 */
export interface WrittenRows {
  milliseconds: number
  firstByteMs: number
  grownMiB: number
  /** The longest block of the event loop. */
  stallMs: number
}

interface Row {
  id: string
  email: string
  amount: string
  fee: string
  to_address: string
  status: string
  transaction_hash: string | null
  created_at: string
  completed_at: string | null
  message_hash: string
}

const columns: SpreadsheetColumn<Row>[] = [
  { header: 'Requested', width: 20, format: 'instant', cell: (row) => new Date(row.created_at) },
  { header: 'User', width: 32, cell: (row) => row.email },
  { header: 'Amount', width: 26, cell: (row) => BigInt(row.amount) },
  { header: 'Fee', width: 12, cell: (row) => BigInt(row.fee) },
  { header: 'Refunded', width: 26, cell: (row) => (row.status === 'failed' ? -BigInt(row.amount) : null) },
  { header: 'Wallet', width: 46, cell: (row) => row.to_address },
  { header: 'Status', width: 14, cell: (row) => row.status },
  { header: 'Completed', width: 20, format: 'instant', cell: (row) => row.completed_at && new Date(row.completed_at) },
  { header: 'Tx hash', width: 68, cell: (row) => row.transaction_hash },
  { header: 'ID', width: 38, cell: (row) => row.id },
]

type Rows = AsyncIterable<Row>

const ways: Record<string, (rows: Rows) => AsyncIterable<Uint8Array>> = {
  product: (rows) => writeSpreadsheet({ name: 'Withdrawals', columns, rows }),
  csv: (rows) => Readable.from(writeCsv(rows), { objectMode: false }),
}

const asText = (cell: Cell): string | number | Date | null => (typeof cell === 'bigint' ? formatAmount(cell) : cell)

/** The minimum: comma-separated values. */
async function* writeCsv(rows: Rows): AsyncGenerator<Buffer> {
  let text = ''
  for await (const row of rows) {
    const cells = columns.map(({ cell }) => asText(cell(row)))
    text += `${cells.map((cell) => (cell instanceof Date ? cell.toISOString() : (cell ?? ''))).join()}\n`
    if (text.length < 65_536) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

const [way = '', url = '', count = '0'] = process.argv.slice(2)
const orm = new MikroORM(ormOptions({ url, poolSize: 1 }))
const read = async function* (limit: number): Rows {
  let left = limit
  if (left === 0) return
  for await (const row of readAllRows<Row>(orm.em.fork(), {
    list: 'withdrawals',
    columns: `r.id, users.email, r.amount, r.fee, r.to_address, r.status, r.transaction_hash, r.created_at, r.completed_at, r.message_hash`,
  })) {
    yield row
    left -= 1
    if (left === 0) return
  }
}
// Warm-up, which also loads the modules.
for await (const _ of ways[way]!(read(10)));

globalThis.gc?.()
const { rss } = process.memoryUsage()
let peak = rss
const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10)
const delays = monitorEventLoopDelay({ resolution: 1 })
delays.enable()
const started = performance.now()
let firstByteMs: number | undefined
for await (const _ of ways[way]!(read(Number(count)))) firstByteMs ??= performance.now() - started
const milliseconds = performance.now() - started
clearInterval(sampling)
const written: WrittenRows = {
  milliseconds,
  firstByteMs: firstByteMs!,
  grownMiB: (peak - rss) / 2 ** 20,
  stallMs: delays.max / 1e6,
}
console.log(JSON.stringify(written))
await orm.close(true)
