import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditRun } from '#api/entities/AuditRun.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { auditAll, type Audit } from './auditAll.ts'
import { overdue } from './checks/overdue.ts'
import { createDepositChain } from './createDepositChain.ts'
import { createPayoutChains } from './createPayoutChains.ts'

/** Of what is wrong, this much is kept; `npm run audit` tells all. */
const KEPT = 50

/**
 * Audits once a day, whichever worker comes first, and calls the operator when something differs. A worker that begins after an outage
 * finds overdue what it is just about to do: it is the next look that calls it a difference.
 */
export const auditDaily: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'audit-daily',
  everySeconds: 600,
  run: (services, isFirst = false) => auditWhenDue(services, { isPatient: isFirst }),
}

type Needed = Pick<Services, 'orm' | 'config' | 'jobs' | 'clock'>

/** `isPatient`: where nothing differs but what is overdue, this is no audit yet. */
export async function auditWhenDue(services: Needed, { isPatient = false } = {}): Promise<void> {
  const { orm, config } = services
  // Not `transactional`: what the audit reads must not be of this transaction, which only holds the lock and writes what came of it.
  const em = orm.em.fork()
  await em.begin()
  try {
    const [lock] = await sql<{ mine: boolean }>(em, `select pg_try_advisory_xact_lock(hashtext('audit-daily')) as mine`)
    const recent = await sql(em, `select from audit_runs where at > now() - interval '1 day' limit 1`)
    if (!lock?.mine || recent.length > 0) return await em.rollback()
    const { findings, unread, upTo } = await audit(services)
    const differing = findings.filter((finding) => finding.differences.length > 0)
    if (isPatient && differing.length > 0 && differing.every(({ name }) => name === overdue.name)) return await em.rollback()
    const differences = differing.flatMap((finding) => finding.differences)
    const shown = shorten(differences)
    em.create(AuditRun, { id: newId(), at: new Date(), unchecked: unread, differences: shown })
    if (upTo !== undefined)
      await sql(em, 'update chain_progress set audited_number = $2 where chain_id = $1', [PAYMENT_CHAIN_ID, upTo])
    if (differences.length > 0)
      await mailOperator(em, services, {
        subject: `${config.BRAND_NAME}: the books do not agree`,
        paragraphs: ['The daily audit has found differences. `npm run audit` shows all of them.', ...shown],
      })
    await em.commit()
    if (differences.length > 0)
      throw new Error(`ALERT: the daily audit has found ${differences.length} differences: ${shown.join('; ')}`)
  } catch (error) {
    if (em.isInTransaction()) await em.rollback()
    throw error
  }
}

const audit = ({ orm, config, clock }: Needed): Promise<Audit> =>
  auditAll(orm.em.fork(), {
    at: { now: clock.now(), productNow: clock.productNow() },
    paymentChain: createDepositChain(config),
    rewardChain: createPayoutChains(config),
    startBlock: config.DEPOSIT_START_BLOCK,
  })

const shorten = (differences: string[]): string[] =>
  differences.length > KEPT ? [...differences.slice(0, KEPT), `and ${differences.length - KEPT} more`] : differences
