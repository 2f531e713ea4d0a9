import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Check, Moment } from './Check.ts'
import { checks } from './checks/all.ts'
import { readMoment } from './readMoment.ts'

export interface Finding {
  /** What should be true. */
  name: string
  /** Where it is not. */
  differences: string[]
}

/** Recomputes what must be true from the rows, all of it at one moment: what runs meanwhile disturbs nothing and is not disturbed. */
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
