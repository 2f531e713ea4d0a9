import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { mkdir } from 'node:fs/promises'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { lockNamed, tryLockWhileIdle } from '#api/platform/db/advisoryLocks.ts'
import { sql } from '#api/platform/db/sql.ts'
import { auditDatabase, type OnProgress } from '../auditDatabase.ts'
import type { ArchivedTable } from '../archivedSql.ts'
import type { AuditTime } from '../Check.ts'
import { overdue } from '../checks/overdue.ts'
import { readAuditTime } from '../readAuditTime.ts'
import { ArchiveRefused } from './ArchiveRefused.ts'
import { completeFiles } from './completeFiles.ts'
import { detachMonth, inShortLocks, proveMonth } from './detachMonth.ts'
import {
  type ArchivableMonth,
  type ArchivedMonth,
  findArchivedMonths,
  findOldMonths,
  KEPT_MONTHS,
  suffixOf,
} from './findMonths.ts'
import { findObstacle } from './findObstacle.ts'
import { type FileContent, flushFile, pathOf, readMonthFile, writeMonthFile } from './monthFiles.ts'

export interface ArchiveOptions {
  /** Where the files are written. */
  folder: string
  /** Whether entries of the ledger are dropped from the database once their file has been read back. */
  drop: boolean
  /** Read from the database unless given. */
  at?: AuditTime
  /** Complete months before the current one that stay in the ledger. */
  keptMonths?: number
  /** The actor in the audit log. */
  actor: string
  onProgress: OnProgress
}

/**
 * Archives the months older than thirteen, oldest first, until one may still change. Each month is written to files, which are read back,
 * and then detached in one transaction, so an interrupted call is simply repeated.
 *
 * @param orm connected as the owner of the tables.
 * @returns one line for each month, and why the next one is not archived.
 */
export async function archiveMonths(orm: MikroORM, options: ArchiveOptions): Promise<string[]> {
  const guard = orm.em.fork()
  await guard.begin()
  try {
    if (!(await tryLockWhileIdle(guard, ARCHIVE_LOCK))) throw new ArchiveRefused('Months are being archived by another command.')
    const lines = [
      ...(await archiveOldMonths(orm, options)),
      ...(await completeFiles(orm, options)),
      ...(options.drop ? await dropAll(orm, options) : []),
    ]
    return lines.length > 0 ? lines : ['There is nothing to archive: no month is older than thirteen months.']
  } finally {
    await guard.rollback()
  }
}

/** Two commands would write the same files. */
const ARCHIVE_LOCK = lockNamed('archive-months')

async function archiveOldMonths(orm: MikroORM, options: ArchiveOptions): Promise<string[]> {
  const { folder, keptMonths = KEPT_MONTHS, onProgress } = options
  const at = options.at ?? (await readAuditTime(orm.em.fork()))
  const months = await findOldMonths(orm.em.fork(), { productNow: at.productNow, keptMonths })
  if (months.length === 0) return []
  const findings = await auditDatabase(orm.em.fork(), at, { onProgress })
  // Work that waits changes no archived row.
  const differences = findings.flatMap(({ name, differences }) => (name === overdue.name ? [] : differences))
  if (differences.length > 0)
    throw new ArchiveRefused(`The audit finds differences, so nothing is archived: ${differences.slice(0, 5).join('; ')}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lines: string[] = []
  for (const month of months) {
    const obstacle = await findObstacle(orm.em.fork(), month)
    lines.push(obstacle ? `${month.name} is not archived: ${obstacle}.` : await archiveMonth(orm, month, options))
    if (obstacle) break
  }
  return lines
}

/** Rows were added while the files were written. */
const REPEAT = 'Remove the files of this month, and run the command again.'

interface MonthSums {
  entries: number
  rewards: number
  nodes: number
  entered: string
  rewarded: string
  moved: Record<string, string>
}

async function archiveMonth(orm: MikroORM, month: ArchivableMonth, options: ArchiveOptions): Promise<string> {
  const { folder, actor, onProgress } = options
  const files = {} as Record<ArchivedTable, FileContent>
  for (const table of ['ledger_entries', 'distributions'] as const) {
    const onRows = (rows: number) => onProgress(`Writing ${table} of ${month.name}, ${rows.toLocaleString('en-US')} rows`)
    onProgress(`Writing ${table} of ${month.name}`)
    files[table] = await writeMonthFile(orm.em.fork(), { folder, table, month, onRows })
  }
  onProgress(`Detaching ${month.name}`)
  await proveMonth(orm, month)
  return orm.em.fork().transactional(async (em) => {
    // No row of the month can be added any more; its readers go on.
    for (const table of Object.keys(files)) await sql(em, `lock table ${table}${suffixOf(month)} in share row exclusive mode`)
    const sums = await readSums(em, month)
    const { ledger_entries: ledger, distributions: rewards } = files
    if (ledger.rows !== sums.entries || ledger.amount !== BigInt(sums.entered))
      throw new ArchiveRefused(`The file of ${month.name} does not have the entries of the ledger. ${REPEAT}`)
    if (rewards.rows !== sums.rewards || rewards.amount !== BigInt(sums.rewarded))
      throw new ArchiveRefused(`The file of ${month.name} does not have the distributions. ${REPEAT}`)
    await sql(
      em,
      `insert into archived_months (month, entries, rewards, nodes, moved, ledger_sha256, rewards_sha256, archived_at)
       values ($1, $2, $3, $4, $5::jsonb, $6, $7, now())`,
      [month.begin, sums.entries, sums.rewards, sums.nodes, JSON.stringify(sums.moved), ledger.sha256, rewards.sha256],
    )
    await carryOver(em, month)
    recordAudit(em, {
      actor,
      action: 'operator.month_archived',
      target: month.name,
      after: { entries: sums.entries, rewards: sums.rewards },
    })
    await em.flush()
    await detachMonth(em, month)
    return `${month.name} is archived: ${sums.entries.toLocaleString('en-US')} entries, ${sums.rewards.toLocaleString('en-US')} rewards.`
  })
}

/** Sums as text, because they are compared with those of the files. */
async function readSums(em: EntityManager, month: ArchivableMonth): Promise<MonthSums> {
  const [row] = await sql<MonthSums>(
    em,
    `select e.entries, e.entered::text, e.moved, d.rewards, d.nodes, d.rewarded::text from (
       select coalesce(sum(rows), 0)::float8 as entries, coalesce(sum(amount), 0) as entered,
         coalesce(jsonb_object_agg(kind, amount::text) filter (where kind is not null), '{}') as moved
       from (
         select split_part(cause, ':', 1) as kind, count(*) as rows, sum(amount) as amount from ledger_entries${suffixOf(month)} group by 1
       ) kinds
     ) e, (
       select count(*)::float8 as rewards, coalesce(sum(active_nodes), 0)::float8 as nodes, coalesce(sum(amount), 0) as rewarded
       from distributions${suffixOf(month)}
     ) d`,
  )
  return row!
}

/** Adds the month to the sums of the month archived before. */
async function carryOver(em: EntityManager, month: ArchivableMonth): Promise<void> {
  await sql(
    em,
    `insert into carried_sums (month, account_id, moved, distributed)
     select $1, account, sum(moved), sum(distributed) from (
       select account_id as account, moved, distributed from carried_sums
       where month = (select max(month) from archived_months where month < $1)
       union all select to_account, amount, 0 from ledger_entries${suffixOf(month)}
       union all select from_account, -amount, 0 from ledger_entries${suffixOf(month)}
       union all select user_id, 0, amount from distributions${suffixOf(month)}
     ) parts group by account`,
    [month.begin],
  )
}

async function dropAll(orm: MikroORM, options: ArchiveOptions): Promise<string[]> {
  const lines: string[] = []
  for (const month of await findArchivedMonths(orm.em.fork()))
    if (month.isKept) lines.push(await dropEntries(orm, month, options))
  return lines
}

/** The distributions stay, which are what holders read. */
async function dropEntries(orm: MikroORM, month: ArchivedMonth, { folder, actor, onProgress }: ArchiveOptions): Promise<string> {
  const file = pathOf(folder, 'ledger_entries', month)
  onProgress(`Reading ${file} back`)
  const content = await readMonthFile(file).catch((error: unknown) => {
    throw new ArchiveRefused(
      `${file} cannot be read, so the entries of ${month.name} are not dropped: ${(error as Error).message}`,
    )
  })
  if (content.rows !== Number(month.entries) || content.sha256 !== month.ledger_sha256)
    throw new ArchiveRefused(`${file} is not as it was archived, so the entries of ${month.name} are not dropped.`)
  await flushFile(file)
  await inShortLocks(orm.em.fork(), async (em) => {
    recordAudit(em, { actor, action: 'operator.month_dropped', target: month.name, after: { file, sha256: content.sha256 } })
    await em.flush()
    await sql(em, `drop table archived_ledger_entries${suffixOf(month)}`)
  })
  return `The entries of ${month.name} are dropped; they are in ${file}.`
}
