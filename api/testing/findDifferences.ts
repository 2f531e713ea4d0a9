import type { MikroORM } from '@mikro-orm/postgresql'
import { auditDatabase } from '#api/integrity/auditDatabase.ts'
import type { AuditTime } from '#api/integrity/Check.ts'
import { XCR_SOURCE } from './giveXcr.ts'

/** All differences that the audit of the rows finds, without the account that gives tests their XCR. */
export async function findDifferences(orm: MikroORM, at?: AuditTime): Promise<string[]> {
  const findings = await auditDatabase(orm.em.fork(), at)
  return findings.flatMap(({ differences }) => differences).filter((difference) => !difference.includes(XCR_SOURCE))
}
