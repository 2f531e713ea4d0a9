import { sql } from '../db/sql.ts'
import type { Sweep } from '../jobs/defineJob.ts'
import { mailOwner } from '../mail/mailOwner.ts'
import type { Services } from '../services.ts'
import { auditBooks } from './auditBooks.ts'
import { auditPayouts, PayoutsUnread } from './auditPayouts.ts'
import { createPayoutChain } from './createPayoutChain.ts'
import { recordAudit } from './recordAudit.ts'

/** The entry of the record that says what an audit has found: `after` is an `AuditOutcome`. */
export const BOOKS_AUDITED = 'books.audited'

export interface AuditOutcome {
  checks: number
  /** How many places differ, and the first of them. */
  differing: number
  differences: string[]
  /** Why payouts were not compared with the reward chain; null if they were, or if nothing was ever paid out. */
  unread: string | null
}

/** Of what is wrong, this much is kept; `npm run audit` tells all. */
const KEPT = 50

/** Audits once a day, whichever worker comes first, and calls the operator when something differs. */
export const auditDaily: Sweep = { name: 'audit-daily', everySeconds: 600, run: auditWhenDue }

type Needed = Pick<Services, 'orm' | 'config' | 'jobs'>

export async function auditWhenDue(services: Needed): Promise<void> {
  const { orm, config } = services
  // Not `transactional`: what the audit reads must not be of this transaction, which only holds the lock and writes what came of it.
  const em = orm.em.fork()
  await em.begin()
  try {
    const [lock] = await sql<{ mine: boolean }>(em, `select pg_try_advisory_xact_lock(hashtext('audit-daily')) as mine`)
    const recent = await sql(em, `select from audit_entries where action = $1 and at > now() - interval '1 day' limit 1`, [
      BOOKS_AUDITED,
    ])
    if (!lock?.mine || recent.length > 0) return await em.rollback()
    const outcome = await audit(services)
    recordAudit(em, { actor: 'system', action: BOOKS_AUDITED, after: outcome })
    if (outcome.differing > 0)
      await mailOwner(em, services, {
        to: config.ALERT_EMAIL ?? config.SUPPORT_EMAIL,
        subject: `${config.BRAND_NAME}: the books do not agree`,
        paragraphs: ['The daily audit has found differences. `npm run audit` shows all of them.', ...outcome.differences],
      })
    await em.commit()
    if (outcome.differing > 0)
      throw new Error(`ALERT: the daily audit has found ${outcome.differing} differences: ${outcome.differences.join('; ')}`)
  } catch (error) {
    if (em.isInTransaction()) await em.rollback()
    throw error
  }
}

async function audit({ orm, config }: Needed): Promise<AuditOutcome> {
  let unread: string | null = null
  const findings = [
    ...(await auditBooks(orm.em.fork())),
    ...(await auditPayouts(orm.em.fork(), createPayoutChain(config)).catch((error: unknown) => {
      if (!(error instanceof PayoutsUnread)) throw error
      unread = error.message
      return []
    })),
  ]
  const differences = findings.flatMap((finding) => finding.differences)
  return { checks: findings.length, differing: differences.length, differences: differences.slice(0, KEPT), unread }
}
