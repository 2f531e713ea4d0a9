import type { MikroORM } from '@mikro-orm/postgresql'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { OnProgress } from '../auditDatabase.ts'
import { ArchiveRefused } from './ArchiveRefused.ts'
import { type ArchivedMonth, findArchivedMonths } from './findMonths.ts'
import { pathOf, writeMonthFile } from './monthFiles.ts'

/**
 * Writes again which files of archived months the folder lacks, for example because it was lost, or restored from an older backup than the
 * database.
 *
 * @returns one line for each file that was missing.
 */
export async function completeFiles(
  orm: MikroORM,
  { folder, onProgress }: { folder: string; onProgress: OnProgress },
): Promise<string[]> {
  const lines: string[] = []
  for (const month of await findArchivedMonths(orm.em.fork()))
    for (const { table, sha256, isKept } of filesOf(month)) {
      const file = pathOf(folder, table, month)
      if (existsSync(file)) continue
      if (!isKept) {
        lines.push(
          `${path.basename(file)} is missing, and the ${month.entries} entries of ${month.name} are nowhere else: restore it from a backup.`,
        )
        continue
      }
      await mkdir(folder, { recursive: true, mode: 0o700 })
      onProgress(`Writing ${file}`)
      const written = await writeMonthFile(orm.em.fork(), { folder, table, month, isArchived: true, onRows: () => undefined })
      if (written.sha256 !== sha256) {
        await rm(file)
        throw new ArchiveRefused(
          `The archived rows of ${month.name} are not those that were archived, so ${path.basename(file)} is not written again. Look at npm run audit -- --all.`,
        )
      }
      lines.push(`${path.basename(file)} was missing and is written again.`)
    }
  return lines
}

const filesOf = ({ isKept, ledger_sha256: ledger, rewards_sha256: rewards }: ArchivedMonth) =>
  [
    { table: 'ledger_entries', sha256: ledger, isKept },
    { table: 'distributions', sha256: rewards, isKept: true },
  ] as const
