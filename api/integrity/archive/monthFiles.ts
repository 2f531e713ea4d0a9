import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { streamRows } from '#api/platform/db/sql.ts'
import { type ArchivedTable, headOf, selectLines } from '../archivedSql.ts'
import { type ArchivableMonth, suffixOf } from './findMonths.ts'

export interface FileContent {
  rows: number
  amount: bigint
  /** Of the content before compression. */
  sha256: string
}

export const pathOf = (folder: string, table: ArchivedTable, month: Pick<ArchivableMonth, 'name'>): string =>
  path.join(folder, `${table}${suffixOf(month)}.csv.gz`)

/** Writes a month as compressed CSV that PostgreSQL's COPY reads, always the same bytes. An interrupted file keeps its temporary name. */
export async function writeMonthFile(
  em: EntityManager,
  {
    folder,
    table,
    month,
    onRows,
  }: { folder: string; table: ArchivedTable; month: ArchivableMonth; onRows: (rows: number) => void },
): Promise<void> {
  const file = pathOf(folder, table, month)
  const rows = streamRows<{ line: string }>(em, () => ({ text: selectLines(table, `${table}${suffixOf(month)}`) }))
  async function* lines() {
    let count = 0
    yield headOf(table)
    for await (const { line } of rows) {
      count += 1
      if (count % 10_000 === 0) onRows(count)
      yield `${line}\n`
    }
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(`${file}.partial`, { mode: 0o600, flush: true }))
  await rename(`${file}.partial`, file)
}

/** Reads a file back. @throws if it is missing or damaged. */
export async function readMonthFile(file: string): Promise<FileContent> {
  const hash = createHash('sha256')
  const content = createGunzip()
  const source = createReadStream(file)
  source.on('error', (error) => content.destroy(error))
  source.pipe(content)
  let rows = -1
  let amount = 0n
  for await (const line of createInterface({ input: content })) {
    hash.update(`${line}\n`)
    rows += 1
    if (rows > 0) amount += BigInt(line.split(',').at(-2)!)
  }
  return { rows, amount, sha256: hash.digest('hex') }
}
