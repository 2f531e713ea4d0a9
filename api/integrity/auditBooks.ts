import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Check, Moment } from './Check.ts'
import { checks } from './checks/all.ts'
import { readMoment } from './readMoment.ts'

export interface Finding {
  /** The statement that was checked. */
  name: string
  /** One sentence for each violation. */
  differences: string[]
}

/** Runs every check on one snapshot of the rows. It takes no locks, so concurrent work goes on. */
export const auditBooks = (em: EntityManager, at?: Moment): Promise<Finding[]> =>
  em.transactional(async (em) => runChecks(em, checks, at ?? (await readMoment(em))), {
    isolationLevel: IsolationLevel.REPEATABLE_READ,
    readOnly: true,
  })

/** In the caller's transaction. */
export async function runChecks(em: EntityManager, checks: readonly Check[], at: Moment): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name, run } of checks) findings.push({ name, differences: await run(em, at) })
  return findings
}
