import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Check, AuditTime } from './Check.ts'
import { checks } from './checks/all.ts'
import { readAuditTime } from './readAuditTime.ts'

export interface Finding {
  /** The statement that was checked. */
  name: string
  /** One sentence for each violation. */
  differences: string[]
}

/** Called with what is being done and how far it is. */
export type OnProgress = (text: string, done: number, total: number) => void

/** Runs every check on one snapshot of the rows. It takes no locks, so concurrent work goes on. */
export const auditDatabase = (em: EntityManager, at?: AuditTime, onProgress?: OnProgress): Promise<Finding[]> =>
  em.transactional(async (em) => runChecks(em, checks, at ?? (await readAuditTime(em)), onProgress), {
    isolationLevel: IsolationLevel.REPEATABLE_READ,
    readOnly: true,
  })

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
