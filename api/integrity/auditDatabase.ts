import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import { holdLedgerMonths } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import type { Check, AuditTime } from './Check.ts'
import { checks } from './checks/all.ts'
import { archivedRowChecks } from './checks/archive.ts'
import { readAuditTime } from './readAuditTime.ts'

export interface Finding {
  /** The statement that was checked. */
  name: string
  /** One sentence for each violation. */
  differences: string[]
}

/** Called with what is being done and how far it is. */
export type OnProgress = (text: string, done?: number, total?: number) => void

interface Options {
  onProgress?: OnProgress | undefined
  /** Also reads the rows of archived months. */
  archived?: boolean
}

/**
 * Runs every check on one snapshot of the rows. Concurrent work goes on, except that no month is archived meanwhile.
 *
 * @param at The time of the snapshot, read from the database unless given. A function is called once the snapshot is taken.
 */
export const auditDatabase = (
  em: EntityManager,
  at?: AuditTime | (() => AuditTime),
  { onProgress, archived = false }: Options = {},
): Promise<Finding[]> =>
  em.transactional(
    async (em) => {
      await holdLedgerMonths(em)
      const all = archived ? [...checks, ...(await archivedRowChecks(em))] : checks
      // Reading it takes the snapshot. With an earlier time, what was paid in between would be paid too early.
      const time = await readAuditTime(em)
      return runChecks(em, all, typeof at === 'function' ? at() : (at ?? time), onProgress)
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  )

/** In the caller's transaction. */
export async function runChecks(
  em: EntityManager,
  checks: readonly Check[],
  at: AuditTime,
  onProgress?: OnProgress,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [index, { name, run }] of checks.entries()) {
    onProgress?.(`Checking that ${name}`, index + 1, checks.length)
    findings.push({ name, differences: await run(em, at) })
  }
  return findings
}
