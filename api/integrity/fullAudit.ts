import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { query } from '#api/entities/tables.ts'
import { AuditRun } from '#api/entities/AuditRun.ts'
import { newId } from '#api/platform/db/newId.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { Audit } from './auditAll.ts'
import { overdue } from './checks/overdue.ts'

/** Limits the stored and mailed differences; `npm run audit` prints all of them. */
const MAX_STORED_DIFFERENCES = 50

export const shortenDifferences = (differences: string[]): string[] =>
  differences.length > MAX_STORED_DIFFERENCES
    ? [...differences.slice(0, MAX_STORED_DIFFERENCES), `and ${differences.length - MAX_STORED_DIFFERENCES} more`]
    : differences

/** Records an audit of all rows and blocks, without the work that waits. The daily ones leave out what it has read, and refer to it. */
export async function recordFullAudit(em: EntityManager, { findings, unread }: Audit, at: Date): Promise<void> {
  const lasting = findings.filter(({ name }) => name !== overdue.name)
  const differences = shortenDifferences(lasting.flatMap((finding) => finding.differences))
  await em.transactional(async (em) => {
    em.create(AuditRun, { id: newId(), at, unchecked: unread, differences, isFull: true })
    await recordChange(em, { keys: [getWaiting.path] })
  })
}

/** The audits of all rows and blocks, newest first. */
const fullAudits = (em: EntityManager) =>
  query(em).selectFrom('audit_runs').select(['at', 'differences']).where('isFull', '=', true).orderBy('at', 'desc').limit(1)

/** Nothing was left unread. */
const isComplete = sql<boolean>`unchecked = '[]'`

/**
 * What the daily audit says about rows that it does not read: what a full one found stays until another one could read everything and found
 * nothing.
 */
export async function findOldDifferences(em: EntityManager): Promise<string[]> {
  const last = await fullAudits(em)
    .where(({ or }) => or([isComplete, sql<boolean>`differences <> '[]'`]))
    .executeTakeFirst()
  const [first] = last?.differences ?? []
  if (first === undefined) return []
  const found = `the audit of all rows on ${last!.at.toISOString().slice(0, 10)} found differences`
  return [`${found}, and none since has read everything and found nothing: ${first}`]
}

/** What an audit that is not full has left out, in one sentence. */
export async function describeLeftOut(em: EntityManager): Promise<string> {
  const last = await fullAudits(em).where(isComplete).executeTakeFirst()
  const when = last ? `last read them on ${last.at.toISOString()}` : 'has not read them yet'
  return `The rows of archived months, and the deposits and refunds before the last daily audit: npm run audit -- --all ${when}`
}
