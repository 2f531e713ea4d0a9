import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { streamRows } from '#api/platform/db/sql.ts'
import { type ArchivedTable, headOf, selectLines } from '../archivedSql.ts'
import { ArchiveRefused } from './ArchiveRefused.ts'
import { type ArchivableMonth, suffixOf } from './findMonths.ts'

export interface FileContent {
  rows: number
  amount: bigint
  /** Of the content before compression. */
  sha256: string
}

export const pathOf = (folder: string, table: ArchivedTable, month: Pick<ArchivableMonth, 'name'>): string =>
  path.join(folder, `${table}${suffixOf(month)}.csv.gz`)

/**
 * Writes a month as compressed CSV that PostgreSQL's COPY reads, always the same bytes. A file that is there is never replaced: it may be
 * the only copy of dropped entries, or of another database.
 *
 * @returns what it reads back.
 * @throws ArchiveRefused if it has other rows.
 */
export async function writeMonthFile(
  em: EntityManager,
  {
    folder,
    table,
    month,
    isArchived = false,
    onRows,
  }: { folder: string; table: ArchivedTable; month: ArchivableMonth; isArchived?: boolean; onRows: (rows: number) => void },
): Promise<FileContent> {
  const file = pathOf(folder, table, month)
  // Another database may write into the same folder at the same time.
  const partial = `${file}.${randomUUID()}.partial`
  const relation = `${isArchived ? 'archived_' : ''}${table}${suffixOf(month)}`
  const hash = createHash('sha256')
  const rows = streamRows<{ line: string }>(em, () => ({ text: selectLines(table, relation) }))
  async function* lines() {
    let count = 0
    hash.update(headOf(table))
    yield headOf(table)
    for await (const { line } of rows) {
      count += 1
      if (count % 10_000 === 0) onRows(count)
      hash.update(`${line}\n`)
      yield `${line}\n`
    }
  }
  try {
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(partial, { mode: 0o600, flush: true }))
    if (!existsSync(file)) await rename(partial, file)
    // It may also be damaged, or have been written by another database since.
    const content = await readMonthFile(file).catch(() => undefined)
    if (content?.sha256 !== hash.digest('hex'))
      throw new ArchiveRefused(`${file} has other rows than this database, so nothing is written over it. ${OTHER_FILE}`)
    await flushFile(file)
    return content
  } finally {
    await rm(partial, { force: true })
  }
}

const OTHER_FILE =
  'Give each database a folder of its own. If the file is from an earlier state of this database, for example from before a restore, keep it elsewhere, and run the command again.'

/** Flushes a file and its name in the folder to the disk. */
export async function flushFile(file: string): Promise<void> {
  for (const name of [file, path.dirname(file)]) {
    const opened = await open(name)
    try {
      await opened.sync()
    } finally {
      await opened.close()
    }
  }
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
